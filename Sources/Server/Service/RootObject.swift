internal import TidelogCore
internal import TidelogGraphQLExecution

/// The objects from which the operations of a request start.
enum RootObject {
    /// The object of Query. Its fields return one record or a page of records.
    struct Query: ResolvableObject {
        var typeName: String { "Query" }

        func resolve(
            _ field: SelectedField, in context: RequestContext
        ) throws(ResolverError) -> ResolvedValue<RequestContext> {
            guard let root = context.service.api.queries[field.name] else { return .null }
            switch root.kind {
            case .get:
                let id = try context.service.id(of: root.model) { field[argument: $0] }
                return .pending { () async throws(ResolverError) in try await context.record(root.model, id, field) }
            case .list(let arguments):
                return .pending { () async throws(ResolverError) in try await context.list(root.model, arguments, field)
                }
            case .index(let arguments):
                return .pending { () async throws(ResolverError) in try await context.list(root.model, arguments, field)
                }
            case .sync: return .pending { () async throws(ResolverError) in try await context.sync(root.model, field) }
            case .mutation, .subscription: return .null
            }
        }
    }

    /// The object of Mutation. Each field makes one change to one record.
    struct Mutation: ResolvableObject {
        var typeName: String { "Mutation" }

        func resolve(
            _ field: SelectedField, in context: RequestContext
        ) throws(ResolverError) -> ResolvedValue<RequestContext> {
            guard context.service.api.mutation(named: field.name) != nil else { return .null }
            return .pending { () async throws(ResolverError) in try await context.mutate(field) }
        }
    }
}
