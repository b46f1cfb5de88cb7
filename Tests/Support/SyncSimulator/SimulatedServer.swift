import SeededNumbers
import Tidelog
import TidelogAgreement
import TidelogCore
import TidelogGraphQLExecution
import TidelogSDL
import TidelogServer
import TidelogSync
import TidelogSynchronization

/// A clock that the simulation sets.
final class VirtualClock: Sendable {
    private let milliseconds = Mutex<Int64>(0)

    var now: Int64 {
        get { milliseconds.withLock { $0 } }
        set { milliseconds.withLock { $0 = newValue } }
    }
}

/// The server of a simulation.
protocol SimulatedAPI: AnyObject {
    /// The schema of the devices.
    var schema: Schema { get }
    var models: SyncModels { get }
    /// Whether the server recognizes a mutation that it has already written.
    var knowsIDs: Bool { get }
    /// The number of mutations that were written.
    var writeCount: Int { get }
    /// The number of restores from a backup.
    var restoreCount: Int { get }
    /// The faults that a simulation sets.
    var troubles: ServerTroubles { get set }

    /// Answers a mutation. Returns the changes that the mutation made, for the subscribers.
    func mutate(_ mutation: OutgoingMutation) async throws -> (Outbox.MutationResponse, changes: [ServerRecord])
    /// The contents that were written for mutations with this id. Copies of a store may decide a conflict in different ways.
    func writtenContents(_ id: String) -> Set<String>
    /// The mutation that made a version of a record.
    func writer(of reference: RecordReference, _ version: UInt64) -> MutationID?
    /// Returns a record.
    func fetch(_ reference: RecordReference) async throws -> Outbox.FetchResponse
    /// Returns a page of records.
    ///
    /// - Parameter minimumRating: The sync expression, as the smallest rating of the records; `nil` for every record.
    func page(_ query: Inbox.Query, minimumRating: Int64?) async throws -> Inbox.QueryResponse
    /// Removes old tombstones, or all.
    func purge(all: Bool) async throws
    /// Copies the whole state of the server.
    func takeBackup() async throws
    /// Replaces the state of the server by the last copy. Returns whether there is a copy.
    func restoreBackup(key: UInt64) async throws -> Bool
    /// The records that are not deleted, by their references.
    func liveRecords() async throws -> [RecordReference: Record]
    /// The versions of the records that are not deleted.
    func versions() async throws -> [RecordReference: UInt64]
    func close() async throws
}

extension SimulatedAPI {
    func purge() async throws { try await purge(all: false) }
}

/// The server's service over a store in memory, without a network.
final class SimulatedServer: SimulatedAPI {
    static let sdl = """
        type Blog @model(timestamps: null) {
          id: ID! title: String rating: Int tags: [String] posts: [Post] @hasMany(indexName: "byBlog", fields: ["id"])
        }
        type Post @model {
          id: ID! title: String rating: Int tags: [String]
          blogID: ID @index(name: "byBlog") blog: Blog @belongsTo(fields: ["blogID"])
        }
        """

    let api: API
    let models: SyncModels
    var schema: Schema { api.schema }
    private let clock: VirtualClock
    private let options: ServiceOptions
    /// Whether the server recognizes a mutation that it has already written.
    let knowsIDs: Bool
    private var service: Service
    private var store: DataStore
    private var versions: LogVersionedStore
    /// The mutations that were written, by their ids.
    private var written: [String: (time: Int64, content: String)] = [:]
    /// The mutation that made a version of a record.
    private var writers: [RecordReference: [UInt64: MutationID]] = [:]
    /// The number of mutations that were written.
    private(set) var writeCount = 0
    private var backup: (records: [Record], written: [String: (time: Int64, content: String)])?
    /// The number of restores from a backup.
    private(set) var restoreCount = 0
    var troubles = ServerTroubles()

    init(_ clock: VirtualClock, strategy: ConflictStrategy, knowsIDs: Bool, pageKey: UInt64) async throws {
        let api = try API(SchemaDocument(sdl: Array(Self.sdl.utf8)))
        var options = ServiceOptions()
        options.strategy = strategy
        (self.api, self.clock, self.options, self.knowsIDs) = (api, clock, options, knowsIDs)
        models = SyncModels(api.schema)
        (service, store, versions) = try await Self.open(api, clock, options, pageKey)
    }

    private static func open(
        _ api: API, _ clock: VirtualClock, _ options: ServiceOptions, _ key: UInt64
    ) async throws -> (Service, DataStore, LogVersionedStore) {
        let store = try await DataStore.inMemory(schema: ServerModels.adding(to: api.storedSchema))
        return try await serve(store, api, clock, options, key)
    }

    private static func serve(
        _ store: DataStore, _ api: API, _ clock: VirtualClock, _ options: ServiceOptions, _ key: UInt64
    ) async throws -> (Service, DataStore, LogVersionedStore) {
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: sdl, tombstoneAge: options.tombstoneAge, clock: { clock.now })
        let random = Mutex(SeededGenerator(key))
        let environment = Service.Environment(clock: { clock.now }) { count in random.withLock { $0.bytes(count) } }
        let service = try await Service(api, versions, options: options, environment: environment)
        return (service, store, versions)
    }

    // MARK: Requests

    /// Answers a mutation. Returns the changes that the mutation made, for the subscribers.
    func mutate(_ mutation: OutgoingMutation) async throws -> (Outbox.MutationResponse, changes: [ServerRecord]) {
        if let refusal = troubles.refusal(of: mutation.reference) { return (refusal, []) }
        let names = OperationNames(model: mutation.reference.model)
        let (field, type) =
            switch mutation.kind {
            case .create: (names.create, "Create")
            case .update: (names.update, "Update")
            case .delete: (names.delete, "Delete")
            }
        let model = mutation.reference.model
        let query = """
            mutation ($input: \(type)\(model)Input!, $condition: Model\(model)ConditionInput) {
              \(field)(input: $input, condition: $condition) { \(selection(model)) }
            }
            """
        var request = ServiceRequest(query, variables: try variables(of: mutation))
        let id = mutation.sentID
        if knowsIDs { try request.setMutations(header: id) }
        let head = try store.head.sequence
        let response = try await service.respond(to: request, from: .apiKey)
        let changes = try await self.changes(after: head)
        if !changes.isEmpty {
            // The server forgets the id of a mutation together with the tombstones of that age.
            if knowsIDs, let former = written[id]?.time, former > clock.now - options.tombstoneAge || changes.count > 1
            {
                throw SimulationFailure("a mutation was written twice: \(mutation.text)")
            }
            written[id] = (clock.now, mutation.content)
            for change in changes { writers[change.reference, default: [:]][change.version] = mutation.id }
            writeCount += 1
        }
        if let record = response.data[field].flatMap({ serverRecord($0, model) }) { return (.written(record), changes) }
        guard let error = response.errors.first else { throw SimulationFailure("a mutation has no response") }
        return (
            .refused(
                errorType: error.errorType ?? "", message: error.message,
                record: error.data.flatMap { serverRecord($0, model) }), changes
        )
    }

    func writtenContents(_ id: String) -> Set<String> { Set(written[id].map { [$0.content] } ?? []) }

    /// The mutation that made a version of a record.
    func writer(of reference: RecordReference, _ version: UInt64) -> MutationID? { writers[reference]?[version] }

    /// Returns a record.
    func fetch(_ reference: RecordReference) async throws -> Outbox.FetchResponse {
        let field = OperationNames(model: reference.model).get
        let response = try await service.respond(
            to: ServiceRequest(
                "query ($id: ID!) { \(field)(id: $id) { \(selection(reference.model)) } }",
                variables: ["id": Self.input(reference.id.components[0])]), from: .apiKey)
        return .record(response.data[field].flatMap { serverRecord($0, reference.model) })
    }

    /// Returns a page of a sync query.
    ///
    /// - Parameter minimumRating: The sync expression, as the smallest rating of the records; `nil` for every record.
    func page(_ query: Inbox.Query, minimumRating: Int64?) async throws -> Inbox.QueryResponse {
        if let failure = troubles.failure(of: query) { return failure }
        let field = OperationNames(model: query.model).sync
        let text = """
            query ($filter: Model\(query.model)FilterInput, $limit: Int, $nextToken: String, $lastSync: AWSTimestamp) {
              \(field)(filter: $filter, limit: $limit, nextToken: $nextToken, lastSync: $lastSync) {
                items { \(selection(query.model)) } nextToken startedAt
              }
            }
            """
        var filter = InputValue.null
        if let minimumRating, query.lastSync == nil {
            filter = .object(["rating": .object(["ge": .int(minimumRating)])])
        }
        let variables: InputObject = [
            "filter": filter, "limit": .int(Int64(query.limit)),
            "nextToken": query.nextToken.map { .string($0) } ?? .null,
            "lastSync": query.lastSync.map { .int($0) } ?? .null,
        ]
        let response = try await service.respond(to: ServiceRequest(text, variables: variables), from: .apiKey)
        if let error = response.errors.first {
            return error.message.contains("token")
                ? .tokenRefused : .refused(errorType: error.errorType ?? "", message: error.message)
        }
        guard let page = response.data[field], case .list(let items)? = page["items"],
            case .int(let startedAt)? = page["startedAt"]
        else { throw SimulationFailure("a page has another shape") }
        var next: String?
        if case .string(let token)? = page["nextToken"] { next = token }
        var records = items.compactMap { serverRecord($0, query.model) }
        let unusableCount = items.count - records.count
        if let unstorable = troubles.unstorable(in: query) { records.append(unstorable) }
        return .page(
            Inbox.Page(
                records: records, nextToken: next, startedAt: startedAt, unusableCount: unusableCount))
    }

    // MARK: Time and backups

    /// Removes old tombstones, or all.
    func purge(all: Bool) async throws {
        try await versions.purge(before: all ? clock.now : clock.now - options.tombstoneAge)
    }

    /// Copies the whole state of the server.
    func takeBackup() async throws {
        let records = try await store.read { [schema = ServerModels.adding(to: api.storedSchema)] snapshot in
            try schema.models.flatMap { try snapshot.fetch(Record.all(of: $0.name)) }
        }
        backup = (records, written)
    }

    /// Replaces the state of the server by the last copy. Returns whether there is a copy.
    func restoreBackup(key: UInt64) async throws -> Bool {
        guard let backup else { return false }
        let fresh = try await DataStore.inMemory(schema: ServerModels.adding(to: api.storedSchema))
        try await fresh.write(requireParents: false) { transaction in
            for record in backup.records { try transaction.save(record) }
        }
        try await store.close()
        (service, store, versions) = try await Self.serve(fresh, api, clock, options, key)
        restoreCount += 1
        written = backup.written
        return true
    }

    /// The records that are not deleted, by their references.
    func liveRecords() async throws -> [RecordReference: Record] {
        try await records().compactMapValues(\.row)
    }

    /// The versions of the records that are not deleted.
    func versions() async throws -> [RecordReference: UInt64] { try await records().mapValues(\.version) }

    private func records() async throws -> [RecordReference: ServerRecord] {
        var found: [RecordReference: ServerRecord] = [:]
        for name in models.names {
            for stored in try await store.read({ try $0.fetch(Record.all(of: name)) }) {
                guard !stored.isTombstone, let record = serverRecord(stored) else { continue }
                found[record.reference] = record
            }
        }
        return found
    }

    func close() async throws { try await store.close() }

    // MARK: Values

    private func selection(_ model: String) -> String {
        ((api.schema.model(named: model)?.fields.map(\.name) ?? []) + ["_version", "_deleted", "_lastChangedAt"])
            .joined(separator: " ")
    }

    private func changes(after head: SequenceNumber) async throws -> [ServerRecord] {
        let last = try store.head.sequence
        guard last > head else { return [] }
        var changes: [ServerRecord] = []
        for try await event in store.events(after: head, through: last) {
            if event.kind == .saved, let record = event.record, models[record.model] != nil, record.version > 0,
                let change = serverRecord(record)
            {
                changes.append(change)
            }
        }
        return changes
    }

    /// A stored record in the form in which clients see it.
    private func serverRecord(_ stored: Record) -> ServerRecord? {
        var row = stored
        for field in Metadata.fields { row[field.name] = nil }
        guard let reference = models[stored.model]?.reference(of: row) else { return nil }
        return ServerRecord(
            reference, row: stored.isTombstone ? nil : row, version: UInt64(stored.version),
            lastChangedAt: stored.lastChangedAt)
    }

    private func serverRecord(_ value: ResponseValue, _ name: String) -> ServerRecord? {
        guard let model = api.schema.model(named: name), case .int(let version)? = value["_version"],
            case .int(let lastChangedAt)? = value["_lastChangedAt"]
        else { return nil }
        var row = Record(model: name, values: [:])
        for field in model.fields { row[field.name] = value[field.name].flatMap { Self.value($0, field.type) } }
        guard let reference = models[name]?.reference(of: row) else { return nil }
        return ServerRecord(
            reference, row: value["_deleted"] == .bool(true) ? nil : row, version: UInt64(version),
            lastChangedAt: lastChangedAt)
    }

    private static func value(_ value: ResponseValue, _ type: FieldType) -> FieldValue? {
        switch (value, type) {
        case (.string(let text), .dateTime): (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case (.string(let text), _): .string(text)
        case (.int(let number), _): .int(number)
        case (.list(let elements), .list(let element, _)): .list(elements.map { Self.value($0, element) })
        default: nil
        }
    }

    private func variables(of mutation: OutgoingMutation) throws -> InputObject {
        var input = InputObject([.init(name: "id", value: Self.input(mutation.reference.id.components[0]))])
        for (name, value) in mutation.fields.sorted(by: { $0.key < $1.key }) {
            input.members.append(.init(name: name, value: Self.input(value)))
        }
        if let version = mutation.baseVersion {
            input.members.append(.init(name: "_version", value: .int(Int64(version))))
        }
        var variables = InputObject([.init(name: "input", value: .object(input))])
        if let condition = mutation.condition {
            guard case .field(let name, .greaterOrEqual(let value)) = try QueryPredicate(parsing: condition) else {
                throw SimulationFailure("a condition has another shape: \(condition)")
            }
            variables.members.append(
                .init(name: "condition", value: .object([name: .object(["ge": Self.input(value)])])))
        }
        return variables
    }

    private static func input(_ value: FieldValue?) -> InputValue {
        switch value {
        case .string(let text)?: .string(text)
        case .int(let number)?: .int(number)
        case .list(let elements)?: .list(elements.map { input($0) })
        case .dateTime(let dateTime)?: .string(dateTime.text)
        default: .null
        }
    }
}

/// The error that describes why a simulation failed.
package struct SimulationFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
