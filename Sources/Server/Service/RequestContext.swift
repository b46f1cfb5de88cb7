internal import Synchronization
internal import TidelogCore
internal import TidelogGraphQL

/// What the resolvers of one request work with.
final class RequestContext: Sendable {
    let service: Service
    let caller: Caller
    /// Names of the request's mutations by their fields in the response, so that they are not repeated.
    let mutations: [String: String]
    /// The mutations that were written, by their fields in the response.
    private let written = Mutex<Set<String>>([])
    private let accesses = Mutex<[String: ModelAccess]>([:])

    /// Where it is noted how fields are answered; `nil` if nobody wants to know.
    let recorder: RequestRecorder?

    private let budget: RequestBudget
    /// After so many compared bytes other requests have their turn.
    private static let turnByteCount = 1 << 20

    init(
        _ service: Service, _ caller: Caller, mutations: [String: String] = [:], recorder: RequestRecorder? = nil
    ) {
        (self.service, self.caller, self.mutations, self.recorder) = (service, caller, mutations, recorder)
        budget = RequestBudget(
            maximumComparedBytes: service.options.maximumComparedBytes,
            maximumResponseBytes: service.options.maximumResponseBytes, share: ResponseShare(of: service.responses))
    }

    /// The bytes of the response. They count as long as something holds this.
    var share: ResponseShare { budget.share }
    /// What filters and conditions may compare.
    var comparisons: ComparisonBudget { budget.comparisons }
    /// Notes that the change of `field` was written.
    func noteWritten(_ field: SelectedField) { written.withLock { _ = $0.insert(field.responseName) } }

    /// The errors of a mutation's response. An error that takes the whole response of a change that was written says so:
    /// a client that took the change for refused would make it again.
    func errors(of result: ExecutionResult) -> [GraphQLError] {
        let written = written.withLock { $0 }
        guard !written.isEmpty else { return result.errors }
        return result.errors.map { error in
            guard case .field(let name)? = error.path.first, written.contains(name), result.data[name]?.isNull ?? true
            else { return error }
            var error = error
            error.message += " The change was written."
            error.errorType = error.errorType ?? ServiceFailure.responseIncomplete
            return error
        }
    }

    /// Reads of the store until now.
    var readCount: Int { budget.readCount }
    /// Records on all pages that were read until now.
    var recordCount: Int { budget.recordCount }

    /// What `body` reads from the store, as a part of what the request may read.
    func reading<Value>(
        _ body: (any VersionedStore) async throws -> Value
    ) async throws(ResolverError) -> Value {
        try budget.spendRead()
        return try await service.reading(body)
    }

    /// A page of `query`, as a part of what the request may read.
    func page(_ query: PageQuery) async throws(ResolverError) -> RecordPage {
        let page = try await reading { try await $0.page(query) }
        try budget.spend(records: page.records.count)
        return page
    }

    /// Those of `records` that pass `filter`, as a part of what the request may compare.
    func records(_ records: [Record], passing filter: RecordFilter) async throws(ResolverError) -> [Record] {
        if filter.passesAll { return records }
        var passing: [Record] = []
        var turn = comparisons.byteCount
        for record in records {
            if try filter.holds(for: record, within: comparisons) { passing.append(record) }
            guard comparisons.byteCount - turn >= Self.turnByteCount else { continue }
            turn = comparisons.byteCount
            await Task.yield()
            try comparisons.checkCancellation()
        }
        return passing
    }

    /// Counts a record that `field` gives as a part of the response.
    func spend(_ record: Record, of field: SelectedField) throws(ResolverError) {
        try budget.spend(responseBytes: ResponseMeasure.byteCount(record, of: field))
    }

    /// The first of `records` that still fit into the response, on a page.
    ///
    /// - Throws: if not even the first one fits.
    func fitting(_ records: [Record], _ shown: PageReading) throws(ResolverError) -> [Record] {
        if records.isEmpty { return records }
        let measure = ResponseMeasure(pageOf: shown.field, try service.model(shown.access.model.name).schema)
        let room = budget.responseRoom
        var (count, byteCount) = (0, 0)
        for record in records {
            let recordBytes = measure.byteCount(record)
            // The budget refuses a first record that is too long.
            guard count == 0 || byteCount + recordBytes <= room else { break }
            byteCount += recordBytes
            count += 1
        }
        // The page is counted at once: other requests change the same sum.
        try budget.spend(responseBytes: byteCount)
        return count == records.count ? records : Array(records.prefix(count))
    }

    /// What the caller may do with the records of a model.
    func access(_ name: String) throws(ResolverError) -> ModelAccess {
        if let known = accesses.withLock({ $0[name] }) { return known }
        let access = try service.access(of: caller, to: name)
        accesses.withLock { $0[name] = access }
        return access
    }

    /// What a field of the request may show of a model.
    func shown(
        _ name: String, _ operation: AccessRule.Operation, _ field: SelectedField
    ) throws(ResolverError) -> PageReading {
        try PageReading(try access(name), operation, field)
    }

    /// The record that has `id`; null if there is none.
    ///
    /// - Throws: if the caller may not read it. Where that depends on what it holds, one that is not there is told so too.
    func record(
        _ name: String, _ id: RecordID, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let shown = try shown(name, .get, field)
        let record = try await reading { try await $0.record(name, id) }
        if let record, shown.admits(record) {
            try spend(record, of: field)
            return .object(shown.object(record))
        }
        guard !shown.dependsOnRecord else { throw AccessRefusal.operation.error(for: field) }
        return .null
    }

    /// The record that a relation leads to; null if there is none that the caller may read.
    func related(
        _ name: String, _ id: RecordID, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let shown = try shown(name, .get, field)
        let record = try await reading { try await $0.record(name, id) }
        guard let record, shown.admits(record) else { return .null }
        try spend(record, of: field)
        return .object(shown.object(record))
    }

    /// The first record under `values` in an index that the caller may read.
    func first(
        _ name: String, _ index: String, _ values: [FieldValue], _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(name)
        var shown = try shown(name, .get, field)
        let fields = schema.indexes.first { $0.name == index }?.fields ?? []
        guard !values.isEmpty, values.count <= fields.count else { return .null }
        try shown.choose(by: fields)
        let isThere = QueryPredicate.field(Metadata.deleted, .notEqual(.bool(true)))
        let predicate = QueryPredicate.and(zip(fields, values).map { .field($0, .equal($1)) })
        let sort = Sort(fields[values.count...].map { Sort.Key($0) })
        // A tombstone is the one that belongs here only if there is no other.
        for predicate in [predicate && isThere, predicate] {
            let query = PageQuery(model: name, predicate: predicate, sort: sort, limit: 1)
            if let record = try await records(query, shown).records.first {
                try spend(record, of: field)
                return .object(shown.object(record))
            }
        }
        return .null
    }

    /// The page of records that `connection` of `owner` leads to.
    func connection(
        _ connection: ConnectionField, _ target: String, of owner: Record, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(target)
        var shown = try shown(target, .list, field)
        let fields =
            connection.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] } ?? schema.primaryKey
        let values = connection.fields.compactMap { owner[$0] }
        guard values.count == connection.fields.count, values.count <= fields.count else { return .null }
        try shown.choose(by: fields)
        var predicate = QueryPredicate.and(zip(fields, values).map { .field($0, .equal($1)) })
        if let sort = connection.sort {
            let reader = KeyConditionReader(model: schema, schema: service.api.schema)
            if let condition = try reader.predicate(sort, field[argument: sort.name]) {
                predicate = predicate && condition
            }
        }
        let list = ListRequest(
            model: target, predicate: predicate, sort: Self.sort(fields[values.count...], field),
            filter: try filter(target, field), place: try token(of: field, owner: values)?.place,
            standardLimit: connection.limit, owner: values)
        return try await page(list, shown)
    }

    /// The order of the fields behind those that are equal, as `sortDirection` says.
    static func sort(_ fields: ArraySlice<String>, _ field: SelectedField) -> Sort {
        let isDescending = field[argument: "sortDirection"] == .string("DESC")
        return Sort(fields.map { Sort.Key($0, isDescending: isDescending) })
    }
}

/// A list that is asked for, a page at a time.
struct ListRequest {
    var model: String
    var predicate = QueryPredicate.all
    var sort = Sort.byKey
    /// What those on the page must be besides.
    var filter = RecordFilter.all
    /// Where the page before ended; `nil` for the first.
    var place: PagePlace?
    /// How many records a page has if the request says nothing.
    var standardLimit = 100
    /// For a sync: when its first page was asked for, and whether it is of what changed since the last one.
    var startedAt: Int64?
    var isDelta = false
    /// What the records have in common that belong to another one.
    var owner: [FieldValue] = []
}
