internal import TidelogCore
internal import TidelogGraphQL

/// A record, as the API shows it.
struct RecordObject: ResolvableObject {
    let record: Record
    let model: ModelAPI

    var typeName: String { model.name }

    func leaf(_ field: SelectedField) -> ResponseValue? { record[field.name]?.response ?? .null }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        // Embedded values; the others are leaves.
        if let value = record[field.name] { return value.resolved(in: RequestContext.self) }
        guard let relation = model.relations[field.name] else { return .null }
        switch relation.kind {
        case .key(let fields):
            // Without a whole key it refers to nothing.
            let key = fields.compactMap { record[$0] }
            guard key.count == fields.count else { return .null }
            return .pending { () async throws(ResolverError) in
                try await context.record(relation.target, RecordID(key))
            }
        case .index(let index, let fields):
            return .pending { () async throws(ResolverError) in
                try await context.first(relation.target, index, fields.compactMap { record[$0] })
            }
        case .connection(let connection):
            return .pending { () async throws(ResolverError) in
                try await context.connection(connection, relation.target, of: record, field)
            }
        }
    }
}

/// A page of records: `items`, `nextToken`, `startedAt`.
struct ConnectionObject: ResolvableObject {
    let records: [Record]
    let model: ModelAPI
    let nextToken: String?
    let startedAt: Int64?

    var typeName: String { "" }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        switch field.name {
        case "items": .list(records.map { .object(RecordObject(record: $0, model: model)) })
        case "nextToken": nextToken.map { .leaf(.string($0)) } ?? .null
        case "startedAt": startedAt.map { .leaf(.int($0)) } ?? .null
        default: .null
        }
    }
}
