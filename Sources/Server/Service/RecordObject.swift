internal import TidelogCore
internal import TidelogGraphQL

/// A record, as the API shows it.
struct RecordObject: ResolvableObject {
    let record: Record
    let access: ModelAccess
    /// What the caller does with it.
    var operation = AccessRule.Operation.get
    /// Whether the rules of the model let the caller read it. If not, it shows what everybody is told who changes it.
    var isReadable = true

    private var model: ModelAPI { access.model }

    var typeName: String { model.name }

    func leaf(_ field: SelectedField) -> ResponseValue? {
        mayRead(field.name) ? record[field.name]?.response ?? .null : nil
    }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        guard mayRead(field.name) else { throw AccessRefusal.operation.error(for: field) }
        // Embedded values; the others are leaves.
        if let value = record[field.name] { return value.resolved(in: RequestContext.self) }
        guard let relation = model.relations[field.name] else { return .null }
        // Where a relation leads tells the fields by which it is followed.
        guard relation.fields.allSatisfy(mayRead) else { throw AccessRefusal.operation.error(for: field) }
        switch relation.kind {
        case .key(let fields):
            // Without a whole key it refers to nothing.
            let key = fields.compactMap { record[$0] }
            guard key.count == fields.count else { return .null }
            return .pending { () async throws(ResolverError) in
                try await context.related(relation.target, RecordID(key), field)
            }
        case .index(let index, let fields):
            return .pending { () async throws(ResolverError) in
                try await context.first(relation.target, index, fields.compactMap { record[$0] }, field)
            }
        case .connection(let connection):
            return .pending { () async throws(ResolverError) in
                try await context.connection(connection, relation.target, of: record, field)
            }
        }
    }

    private func mayRead(_ field: String) -> Bool {
        (isReadable || model.key.contains(field) || Metadata.names.contains(field))
            && access.admits(field, of: record, operation)
    }
}

extension RelationField {
    /// The fields of a record by which its related ones are found.
    fileprivate var fields: [String] {
        switch kind {
        case .key(let fields), .index(_, let fields): fields
        case .connection(let connection): connection.fields
        }
    }
}

/// A page of records: `items`, `nextToken`, `startedAt`.
struct ConnectionObject: ResolvableObject {
    let records: [Record]
    let reading: PageReading
    let nextToken: String?
    let startedAt: Int64?

    var typeName: String { "" }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        switch field.name {
        case "items": .list(records.map { .object(reading.object($0)) })
        case "nextToken": nextToken.map { .leaf(.string($0)) } ?? .null
        case "startedAt": startedAt.map { .leaf(.int($0)) } ?? .null
        default: .null
        }
    }
}
