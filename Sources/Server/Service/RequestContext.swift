internal import TidelogCore
internal import TidelogGraphQL

/// What the resolvers of one request work with.
final class RequestContext: Sendable {
    let service: Service
    /// Names of the request's mutations by their fields in the response, so that they are not repeated.
    let mutations: [String: String]

    init(_ service: Service, mutations: [String: String] = [:]) {
        (self.service, self.mutations) = (service, mutations)
    }

    /// The record that has `id`; null if there is none.
    func record(_ name: String, _ id: RecordID) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, _) = try service.model(name)
        guard let record = try await service.reading({ try await $0.record(name, id) }) else { return .null }
        return .object(RecordObject(record: record, model: model))
    }

    /// The first record under `values` in an index.
    func first(
        _ name: String, _ index: String, _ values: [FieldValue]
    ) async throws(ResolverError) -> ResolvedValue<RequestContext> {
        let (model, schema) = try service.model(name)
        let fields = schema.indexes.first { $0.name == index }?.fields ?? []
        guard !values.isEmpty, values.count <= fields.count else { return .null }
        let query = PageQuery(
            model: name, predicate: .and(zip(fields, values).map { .field($0, .equal($1)) }),
            sort: Sort(fields[values.count...].map { Sort.Key($0) }), limit: 1)
        // A tombstone is no longer the one that belongs here, if there is another.
        let page = try await service.reading { try await $0.page(query) }
        guard let record = page.records.first else { return .null }
        return .object(RecordObject(record: record, model: model))
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
            standardLimit: connection.limit)
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
    /// How many records a page has if the request says nothing.
    var standardLimit = 100
    /// What the page shows of a sync.
    var startedAt: Int64?
    var isDelta = false
}
