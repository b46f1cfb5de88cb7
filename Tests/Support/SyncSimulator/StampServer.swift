import SeededNumbers
import TidelogCore
import TidelogSDL
import TidelogServer
import TidelogSync

/// A server without versions: a table whose records have a time, with hard deletions, conditions, and reads that may be old.
final class StampServer: SimulatedAPI {
    /// The states of a record, the oldest first. A deleted record has no row.
    private typealias History = [(time: Int64, row: Record?)]

    let schema: Schema
    let models: SyncModels
    let knowsIDs = false
    private let clock: VirtualClock
    private let hasTags: Bool
    private let hasOwners: Bool
    let hasTimeIndex: Bool
    private let marksDeletions: Bool
    private var histories: [RecordReference: History] = [:]
    private var backup: [RecordReference: History]?
    private var written: [String: Set<String>] = [:]
    private(set) var writeCount = 0
    private(set) var restoreCount = 0
    var troubles = ServerTroubles()

    // MARK: Faults

    /// How old the states are that the next read shows, in milliseconds.
    var age: () -> Int64 = { 0 }
    /// The difference of the clock of the computer that makes the next change, in milliseconds.
    var skew: () -> Int64 = { 0 }
    /// The time that every change gets; `nil` for the present time.
    var frozenTime: Int64?
    /// The records that no list has as a usable element.
    var broken: Set<RecordReference> = []
    /// The records that no device may read or change.
    var hidden: Set<RecordReference> = [] {
        didSet { for reference in oldValue.union(hidden) { hiddenAt[reference] = clock.now } }
    }
    /// The time at which a record was hidden last.
    private var hiddenAt: [RecordReference: Int64] = [:]
    /// Whether lists are empty.
    var hasEmptyLists = false

    init(_ clock: VirtualClock, _ plan: SimulationPlan) throws {
        marksDeletions = plan.hasTags && plan.marksDeletions
        let mark = marksDeletions ? "\(RecordStamp.deletionField): AWSDateTime" : ""
        let tag = plan.hasTags ? "\(RecordStamp.tagField): String \(mark)" : ""
        let index = plan.hasTimeIndex ? #"! @index(name: "byBlogAndTime", sortKeyFields: ["updatedAt"])"# : ""
        let time = plan.hasTimeIndex ? "updatedAt: AWSDateTime" : ""
        let sdl = """
            type Blog @model {
              id: ID! title: String rating: Int tags: [String] \(tag)
              posts: [Post] @hasMany(indexName: "byBlog", fields: ["id"])
            }
            type Post @model {
              id: ID! title: String rating: Int tags: [String] \(tag) \(time)
              blogID: ID\(index) @index(name: "byBlog") blog: Blog @belongsTo(fields: ["blogID"])
            }
            """
        schema = try API(SchemaDocument(sdl: Array(sdl.utf8))).schema
        models = SyncModels(schema)
        (self.clock, hasTags, hasOwners, hasTimeIndex) = (clock, plan.hasTags, plan.hasOwners, plan.hasTimeIndex)
    }

    func heal() {
        (frozenTime, broken, hidden, hasEmptyLists) = (nil, [], [], false)
    }

    // MARK: Mutations

    func mutate(_ mutation: OutgoingMutation) async throws -> (Outbox.MutationResponse, changes: [ServerRecord]) {
        let reference = mutation.reference
        guard !hidden.contains(reference) else { return (.unauthorized, []) }
        if let refusal = troubles.refusal(of: reference) { return (refusal, []) }
        let former = current(reference)
        guard let former else {
            switch mutation.operation {
            case .create: break
            case .update: return (hasOwners ? .unauthorized : Self.conditionFailed, [])
            case .delete where hasOwners: return (.unauthorized, [])
            case .delete:
                let version = mutation.baseVersion ?? 0
                return (.written(ServerRecord(reference, row: nil, version: version, lastChangedAt: 0)), [])
            }
            return try write(mutation, on: Record(model: reference.model, values: ["id": reference.id.components[0]]))
        }
        guard mutation.operation != .create, try meets(former, mutation) else { return (Self.conditionFailed, []) }
        return try write(mutation, on: former)
    }

    private static let conditionFailed = Outbox.MutationResponse.refused(
        errorType: "DynamoDB:ConditionalCheckFailedException", message: "The conditional request failed", record: nil)

    private func meets(_ row: Record, _ mutation: OutgoingMutation) throws -> Bool {
        guard let stamp = mutation.stamp else {
            throw SimulationFailure("a mutation has no stamp: \(mutation.text)")
        }
        guard self.stamp(of: row) == stamp else { return false }
        guard let condition = mutation.condition else { return true }
        guard case .field(let name, .greaterOrEqual(.int(let limit))) = try QueryPredicate(parsing: condition) else {
            throw SimulationFailure("a condition has another shape: \(condition)")
        }
        if case .int(let number)? = row[name] { return number >= limit }
        return false
    }

    private func write(
        _ mutation: OutgoingMutation, on former: Record
    ) throws -> (Outbox.MutationResponse, changes: [ServerRecord]) {
        var row = former
        for (name, value) in mutation.fields { row[name] = value }
        if hasTags { row[RecordStamp.tagField] = .string(mutation.tag) }
        let record: ServerRecord
        if mutation.operation == .delete {
            record = try serverRecord(former, isDeleted: true)
            append(nil, to: mutation.reference)
        } else {
            record = try serverRecord(save(row))
        }
        written[mutation.sentID, default: []].insert(mutation.content)
        writeCount += 1
        return (.written(record), [record])
    }

    /// Gives the row its time, and makes it the record's present state.
    private func save(_ row: Record) -> Record {
        var row = row
        let time = (frozenTime ?? clock.now) + skew()
        let dateTime = Temporal.DateTime(milliseconds: time)
        if row["createdAt"] == nil { row["createdAt"] = .dateTime(dateTime) }
        row[RecordStamp.timeField] = .dateTime(dateTime)
        if let reference = models[row.model]?.reference(of: row) { append(row, to: reference) }
        return row
    }

    private func append(_ row: Record?, to reference: RecordReference) {
        histories[reference, default: []].append((clock.now, row))
    }

    func writtenContents(_ id: String) -> Set<String> { written[id, default: []] }

    func writer(of reference: RecordReference, _ version: UInt64) -> MutationID? { nil }

    // MARK: Other writers

    /// Changes a record without a new time.
    func bypass(_ reference: RecordReference, _ fields: [String: FieldValue?]) {
        guard var row = current(reference) else { return }
        for (name, value) in fields { row[name] = value }
        append(row, to: reference)
    }

    /// Changes, creates or deletes a record as a client without conditions does. Returns the change for the subscribers.
    func change(_ reference: RecordReference, _ fields: [String: FieldValue?]?) throws -> ServerRecord? {
        let former = current(reference)
        guard let fields else {
            guard let former else { return nil }
            append(nil, to: reference)
            return try serverRecord(former, isDeleted: true)
        }
        var row = former ?? Record(model: reference.model, values: ["id": reference.id.components[0]])
        for (name, value) in fields { row[name] = value }
        return try serverRecord(save(row))
    }

    // MARK: Reads

    func fetch(_ reference: RecordReference) async throws -> Outbox.FetchResponse {
        let row = row(reference, at: clock.now - age())
        if broken.contains(reference), row != nil {
            return .refused(errorType: "", message: "Cannot return null for non-nullable type")
        }
        if hidden.contains(reference), row != nil {
            return .refused(errorType: "Unauthorized", message: "Not Authorized")
        }
        return .record(try row.map { try serverRecord($0) })
    }

    /// Whether a device cannot have read the record at some time after `time`.
    func wasMissing(_ reference: RecordReference, _ minimumRating: Int64?, since time: Int64) -> Bool {
        guard let history = histories[reference], let first = history.first, restoreCount == 0 else { return true }
        if first.time > time || hidden.contains(reference) || hiddenAt[reference] ?? 0 > time { return true }
        let states = history.filter { $0.time > time }.map(\.row) + [row(reference, at: time)]
        return states.contains { $0.map { isMarked($0) || !isIncluded($0, minimumRating) } ?? true }
    }

    func page(_ query: Inbox.Query, minimumRating: Int64?) async throws -> Inbox.QueryResponse {
        try await page(query, minimumRating: minimumRating, partitions: nil)
    }

    /// A page of all records, or of the partitions of an index.
    func page(
        _ query: Inbox.Query, minimumRating: Int64?, partitions: Set<String>?
    ) async throws -> Inbox.QueryResponse {
        if let failure = troubles.failure(of: query) { return failure }
        let time = clock.now - age()
        // A table is scanned in the order of hashes.
        let references = histories.keys.filter { $0.model == query.model }.sorted { $0.stableHash < $1.stableHash }
        let start = query.nextToken.flatMap { UInt64($0) } ?? 0
        var rest = references.drop { $0.stableHash < start }
        let scanned = rest.prefix(query.limit)
        rest = rest.dropFirst(scanned.count)
        var page = Inbox.Page(records: [], nextToken: rest.first.map { String($0.stableHash) }, startedAt: 0)
        for reference in scanned where !hasEmptyLists && !hidden.contains(reference) {
            guard let row = row(reference, at: time), isIncluded(row, minimumRating),
                isIncluded(row, partitions, since: query.lastSync)
            else { continue }
            if broken.contains(reference), query.content != .keys {
                page.unusableCount += 1
                continue
            }
            let record = try serverRecord(row)
            switch query.content {
            case .records: page.records.append(record)
            case .stamps: page.stamps.append(RecordHint(reference, version: record.version))
            case .keys: page.stamps.append(RecordHint(reference, version: 0))
            }
        }
        if let unstorable = troubles.unstorable(in: query) { page.records.append(unstorable) }
        return .page(page)
    }

    private func isIncluded(_ row: Record, _ minimumRating: Int64?) -> Bool {
        guard let minimumRating else { return true }
        if case .int(let rating)? = row["rating"] { return rating >= minimumRating }
        return false
    }

    /// Whether an index has the row in one of the partitions, with this time or a later one.
    private func isIncluded(_ row: Record, _ partitions: Set<String>?, since time: Int64?) -> Bool {
        if let partitions {
            guard case .string(let blog)? = row["blogID"], partitions.contains(blog) else { return false }
        }
        guard let time else { return true }
        return stamp(of: row).map { RecordStamp.milliseconds(in: $0.version) >= time } ?? false
    }

    /// Whether a record has a parent that does not exist, so that only a query for all records shows it to every device.
    var hasOrphans: Bool {
        hasTimeIndex
            && histories.contains { reference, history in
                guard case .string(let blog)? = history.last?.row?["blogID"] else { return false }
                return current(RecordReference(model: "Blog", id: RecordID(blog))).map { isMarked($0) } ?? true
            }
    }

    /// Whether the server has a record that is marked as deleted.
    func isKept(_ reference: RecordReference) -> Bool { current(reference).map { isMarked($0) } ?? false }

    private func current(_ reference: RecordReference) -> Record? { histories[reference]?.last?.row }

    private func row(_ reference: RecordReference, at time: Int64) -> Record? {
        histories[reference]?.last { $0.time <= time }?.row
    }

    /// Whether the row says that its record is deleted.
    private func isMarked(_ row: Record) -> Bool { marksDeletions && row[RecordStamp.deletionField] != nil }

    private func stamp(of row: Record) -> RecordStamp? { models[row.model].flatMap { RecordStamp(of: row, $0) } }

    private func serverRecord(_ row: Record, isDeleted: Bool = false) throws -> ServerRecord {
        guard let reference = models[row.model]?.reference(of: row), let stamp = stamp(of: row) else {
            throw SimulationFailure("a record has no stamp")
        }
        let time = RecordStamp.milliseconds(in: stamp.version)
        if !isDeleted, isMarked(row) {
            return ServerRecord(reference, deleted: row, version: stamp.version, lastChangedAt: time)
        }
        return ServerRecord(reference, row: isDeleted ? nil : row, version: stamp.version, lastChangedAt: time)
    }

    // MARK: Backups and checks

    func purge(all: Bool) async throws {}

    func takeBackup() async throws { backup = histories }

    func restoreBackup(key: UInt64) async throws -> Bool {
        guard let backup else { return false }
        histories = backup
        written = [:]
        restoreCount += 1
        return true
    }

    func liveRecords() async throws -> [RecordReference: Record] {
        histories.compactMapValues { $0.last?.row }.filter { !isMarked($0.value) }
    }

    func versions() async throws -> [RecordReference: UInt64] {
        try await liveRecords().compactMapValues { stamp(of: $0)?.version }
    }

    func close() async throws {}
}
