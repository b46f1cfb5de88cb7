@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogServer

/// Reads the changes of all processes from the table of changes in the order of their numbers, and misses none.
///
/// A change is read when no transaction that still runs can add one with a lower number (``SettledChanges``). A change of a
/// record takes its number while the record is locked, so the changes of a record are read in the order of its versions.
struct ChangeFollower: AsyncSequence, Sendable {
    typealias Element = StoredChange

    /// The pause between two readings that have found nothing.
    private static let pause = Duration.milliseconds(10)
    /// The pause after a reading for which the database could not be reached.
    private static let pauseWithoutDatabase = Duration.milliseconds(200)
    /// The number of changes of one reading.
    private static let batch = 500

    private let pool: ConnectionPool
    private let layouts: [String: ModelLayout]
    /// The database at the beginning. Changes that were visible then are not read.
    private let beginning: SettledChanges.Moment
    private let beginningTime = ContinuousClock.now
    /// Gets the failure of each reading for which the database cannot be reached, and `nil` after each other reading.
    private let note: @Sendable (DataStoreError?) -> Void

    /// A place in the order of changes.
    struct Place: Sendable {
        /// The number up to which all changes were read; `nil` before the first reading that may have found some.
        fileprivate(set) var sequence: Int64?
        fileprivate var settled = SettledChanges()
    }

    /// The place from which the changes are read.
    var start: Place {
        var place = Place()
        place.settled.note(beginning, at: beginningTime)
        // No transaction ran, so no change with a lower number can follow.
        place.sequence = place.settled.last
        return place
    }

    /// Begins after the changes that are visible now.
    static func begin(
        _ pool: ConnectionPool, _ layouts: [String: ModelLayout],
        note: @escaping @Sendable (DataStoreError?) -> Void = { _ in }
    ) async throws -> ChangeFollower {
        let beginning = try await pool.run(.once) { try SettledChanges.Moment($0) }
        return ChangeFollower(pool: pool, layouts: layouts, beginning: beginning, note: note)
    }

    func makeAsyncIterator() -> Iterator { Iterator(follower: self, place: start) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let follower: ChangeFollower
        fileprivate var place: Place
        private var buffer: [StoredChange] = []

        fileprivate init(follower: ChangeFollower, place: Place) { (self.follower, self.place) = (follower, place) }

        mutating func next() async throws -> StoredChange? {
            while true {
                if let change = buffer.popLast() { return change }
                try Task.checkCancellation()
                let changes: [StoredChange]
                do {
                    (changes, place) = try await follower.changes(after: place)
                } catch let error as DataStoreError where error.isOfConnection || error.code == .databaseBusy {
                    // The place stays valid, also if the database starts again.
                    follower.note(error)
                    try await Task.sleep(for: ChangeFollower.pauseWithoutDatabase)
                    continue
                }
                follower.note(nil)
                buffer = changes.reversed()
                if buffer.isEmpty { try await Task.sleep(for: ChangeFollower.pause) }
            }
        }
    }

    /// The changes after `place` that can be read now, and the place after them.
    private func changes(after place: Place) async throws -> ([StoredChange], Place) {
        try await read(after: place) { found, row, sequence in try change(found, row, sequence) }
    }

    /// The sequence numbers of the changes after `place` that can be read now, and the place after them.
    func numbers(after place: Place) async throws -> ([Int64], Place) { try await read(after: place) { $2 } }

    private func read<Value: Sendable>(
        after place: Place, _ body: @escaping @Sendable (SQLResult, Int, Int64) throws -> Value?
    ) async throws -> ([Value], Place) {
        try await pool.run(.once) { connection in
            var place = place
            let moment = try SettledChanges.Moment(connection)
            guard moment.cluster == beginning.cluster else { throw Self.isOtherCluster }
            place.settled.note(moment)
            guard let last = place.settled.last else {
                // The changes after the beginning have no numbers yet. Before this time, none of them is old enough.
                let age = ContinuousClock.now - beginningTime
                guard age < .seconds(60 * (ChangeRemoval.keptMinutes - 1)) else { throw Self.isRemoved }
                return ([], place)
            }
            let first = try place.sequence ?? self.first(upTo: last, connection)
            guard first < last else {
                place.sequence = first
                return ([], place)
            }
            let results = try connection.transaction([
                .prepared(
                    """
                    SELECT sequence, model, kind, record::text, selected::text FROM \(DatabaseSchema.own("change")) \
                    WHERE sequence > $1 AND sequence <= $2 \
                    AND NOT pg_visible_in_snapshot(transaction, $3::text::pg_snapshot) ORDER BY sequence LIMIT $4
                    """,
                    [.int(first), .int(last), .text(beginning.snapshot), .int(Int64(Self.batch))]),
                .prepared(ChangeRemoval.lastRemoved),
            ])
            let found = results[0]
            if try results[1].int(0, 0) ?? 0 > first { throw Self.isRemoved }
            var values: [Value] = []
            place.sequence = last
            for row in 0..<found.count {
                guard let sequence = try found.int(row, 0) else { continue }
                if found.count == Self.batch { place.sequence = sequence }
                if let value = try body(found, row, sequence) { values.append(value) }
            }
            return (values, place)
        }
    }

    /// The number after which the changes begin that were not visible at the beginning.
    private func first(upTo last: Int64, _ connection: Connection) throws -> Int64 {
        // The changes are found by their transactions: the table has many earlier changes.
        let found = try connection.run(
            .prepared(
                """
                WITH later AS MATERIALIZED (SELECT sequence FROM \(DatabaseSchema.own("change")) \
                WHERE transaction >= $1::text::xid8 AND NOT pg_visible_in_snapshot(transaction, $2::text::pg_snapshot)) \
                SELECT min(sequence) - 1 FROM later WHERE sequence <= $3
                """, [.text("\(beginning.oldest)"), .text(beginning.snapshot), .int(last)]))
        return try found.int(0, 0) ?? last
    }

    private static var isOtherCluster: DataStoreError {
        DataStoreError(
            .lagged, "The database is now another cluster, whose changes have other places.",
            recovery: "Clients sync again.")
    }

    private static var isRemoved: DataStoreError {
        DataStoreError(.lagged, "Changes were removed before they were read.", recovery: "Clients sync again.")
    }

    /// The change in a row; `nil` if its model is not served.
    private func change(_ found: SQLResult, _ row: Int, _ sequence: Int64) throws -> StoredChange? {
        guard let model = found.text(row, 1), let layout = layouts[model],
            let kind = found.text(row, 2).flatMap({ StoredChange.Kind(rawValue: $0) }), let json = found.bytes(row, 3)
        else { return nil }
        let record = try Self.record(Array(json), layout)
        return StoredChange(
            kind: kind, record: record, place: UInt64(bitPattern: sequence),
            selected: try found.bytes(row, 4).flatMap { try Self.names(Array($0)) })
    }

    /// The texts in a list.
    private static func names(_ json: [UInt8]) throws -> Set<String>? {
        guard case .array(let elements) = try JSONValue(parsing: json) else { return nil }
        return Set(elements.compactMap { if case .string(let name) = $0 { name } else { nil } })
    }

    private static func record(_ json: [UInt8], _ layout: ModelLayout) throws -> Record {
        do { return try Record(json: json, layout: layout) } catch let error as RecordJSONError {
            // A server with a newer schema may have made the change. Its other fields have no meaning here.
            guard error.code == .unknownField, case .object(let members) = try JSONValue(parsing: json) else {
                throw error
            }
            var writer = JSONWriter()
            JSONValue.object(members.filter { layout.row.field(named: $0.key) != nil }).write(to: &writer)
            return try Record(json: writer.bytes, layout: layout)
        }
    }
}
