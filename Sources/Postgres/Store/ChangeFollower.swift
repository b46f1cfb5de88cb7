@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogServer

/// Reads the changes of all processes from the table of changes, in an order that misses none.
///
/// A sequence number is taken before its transaction ends, so a later number can be visible before an earlier one. The order is
/// therefore by the transaction's number first, and only changes of transactions are read before which no transaction is still
/// running. Changes of one record have increasing numbers of transactions, because each change waits for the one before.
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
    /// The place from which the changes are read.
    let start: Place
    /// The cluster's identifier. Numbers of transactions of another cluster have no meaning here.
    private let cluster: Int64
    /// Gets the failure of each reading for which the database cannot be reached, and `nil` after each other reading.
    private let note: @Sendable (DataStoreError?) -> Void

    /// A place in the order of changes.
    struct Place: Sendable {
        /// The transaction and the sequence number of the last change that was read, as texts.
        var transaction: String
        var sequence: Int64
        /// The snapshot of the beginning. Changes that are visible in it were made before.
        var snapshot: String
    }

    /// Begins after the changes that are visible now.
    static func begin(
        _ pool: ConnectionPool, _ layouts: [String: ModelLayout],
        note: @escaping @Sendable (DataStoreError?) -> Void = { _ in }
    ) async throws -> ChangeFollower {
        try await pool.run(.once) { connection in
            let found = try connection.run(
                .prepared(
                    """
                    SELECT pg_snapshot_xmin(s)::text, s::text, (SELECT system_identifier FROM pg_control_system()) \
                    FROM pg_current_snapshot() AS s
                    """))
            guard let transaction = found.text(0, 0), let snapshot = found.text(0, 1),
                let cluster = try found.int(0, 2)
            else { throw PostgresFailure(sqlState: nil, message: "") }
            let start = Place(transaction: transaction, sequence: 0, snapshot: snapshot)
            return ChangeFollower(pool: pool, layouts: layouts, start: start, cluster: cluster, note: note)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(follower: self, place: start) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let follower: ChangeFollower
        fileprivate var place: Place
        private var buffer: [StoredChange] = []
        private var lastReading = ContinuousClock.now

        fileprivate init(follower: ChangeFollower, place: Place) { (self.follower, self.place) = (follower, place) }

        mutating func next() async throws -> StoredChange? {
            while true {
                if let change = buffer.popLast() { return change }
                try Task.checkCancellation()
                guard ContinuousClock.now - lastReading < .seconds(60 * (ChangeRemoval.keptMinutes - 1)) else {
                    throw DataStoreError(
                        .lagged, "Changes were removed before they were read.", recovery: "Clients sync again.")
                }
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
                lastReading = .now
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
            // One statement has one snapshot, so no transaction can end between the comparison and the reading.
            let found = try connection.run(
                .prepared(
                    """
                    SELECT c.transaction::text, c.sequence, c.model, c.kind, c.record::text, \
                    (SELECT system_identifier FROM pg_control_system()) = $5, c.selected::text \
                    FROM \(DatabaseSchema.own("change")) AS c \
                    WHERE (c.transaction, c.sequence) > ($1::text::xid8, $2) \
                    AND c.transaction < pg_snapshot_xmin(pg_current_snapshot()) \
                    AND NOT pg_visible_in_snapshot(c.transaction, $3::text::pg_snapshot) \
                    ORDER BY c.transaction, c.sequence LIMIT $4
                    """,
                    [
                        .text(place.transaction), .int(place.sequence), .text(place.snapshot), .int(Int64(Self.batch)),
                        .int(cluster),
                    ]))
            var end = place
            var values: [Value] = []
            for row in 0..<found.count {
                guard let transaction = found.text(row, 0), let sequence = try found.int(row, 1) else { continue }
                guard try found.bool(row, 5) == true else {
                    throw DataStoreError(
                        .lagged, "The database is now another cluster, whose changes have other places.",
                        recovery: "Clients sync again.")
                }
                (end.transaction, end.sequence) = (transaction, sequence)
                if let value = try body(found, row, sequence) { values.append(value) }
            }
            return (values, end)
        }
    }

    /// The change in a row; `nil` if its model is not served.
    private func change(_ found: SQLResult, _ row: Int, _ sequence: Int64) throws -> StoredChange? {
        guard let model = found.text(row, 2), let layout = layouts[model],
            let kind = found.text(row, 3).flatMap({ StoredChange.Kind(rawValue: $0) }), let json = found.bytes(row, 4)
        else { return nil }
        let record = try Self.record(Array(json), layout)
        return StoredChange(
            kind: kind, record: record, place: UInt64(bitPattern: sequence),
            selected: try found.bytes(row, 6).flatMap { try Self.names(Array($0)) })
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
