internal import TidelogCore
internal import TidelogGraphQL

/// What the resolvers of one request work with.
final class RequestContext: Sendable {
    let service: Service
    let caller: Caller
    /// Names of the request's mutations by their fields in the response, so that they are not repeated.
    let mutations: [String: String]

    /// Where it is noted how fields are answered; `nil` if nobody wants to know.
    let recorder: RequestRecorder?

    private let budget = RequestBudget()

    init(
        _ service: Service, _ caller: Caller, mutations: [String: String] = [:], recorder: RequestRecorder? = nil
    ) {
        (self.service, self.caller, self.mutations, self.recorder) = (service, caller, mutations, recorder)
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

    /// The record that has `id`; null if there is none.
    func record(_ name: String, _ id: RecordID) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, _) = try service.model(name)
        guard let record = try await reading({ try await $0.record(name, id) }) else { return .null }
        return .object(RecordObject(record: record, model: model))
    }

    /// The first record under `values` in an index.
    func first(
        _ name: String, _ index: String, _ values: [FieldValue]
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, schema) = try service.model(name)
        let fields = schema.indexes.first { $0.name == index }?.fields ?? []
        guard !values.isEmpty, values.count <= fields.count else { return .null }
        let isThere = QueryPredicate.field(Metadata.deleted, .notEqual(.bool(true)))
        let predicate = QueryPredicate.and(zip(fields, values).map { .field($0, .equal($1)) })
        let sort = Sort(fields[values.count...].map { Sort.Key($0) })
        // A tombstone is the one that belongs here only if there is no other.
        for predicate in [predicate && isThere, predicate] {
            let query = PageQuery(model: name, predicate: predicate, sort: sort, limit: 1)
            let page = try await page(query)
            if let record = page.records.first { return .object(RecordObject(record: record, model: model)) }
        }
        return .null
    }

    /// The page of records that `connection` of `owner` leads to.
    func connection(
        _ connection: ConnectionField, _ target: String, of owner: Record, _ field: SelectedField
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (_, schema) = try service.model(target)
        let fields =
            connection.index.map { name in schema.indexes.first { $0.name == name }?.fields ?? [] } ?? schema.primaryKey
        let values = connection.fields.compactMap { owner[$0] }
        guard values.count == connection.fields.count, values.count <= fields.count else { return .null }
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
        return try await page(list, field)
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
