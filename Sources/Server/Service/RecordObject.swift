internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

/// A record as an object of the response.
struct RecordObject: ResolvableObject {
    let record: Record
    let access: ModelAccess
    /// The operation by which the caller reads the record.
    var operation = AccessRule.Operation.get
    /// Whether the model's rules let the caller read the record. If not, only the key and the metadata are shown, as to every
    /// caller who changes a record.
    var isReadable = true

    private var model: ModelAPI { access.model }

    var typeName: String { model.name }

    func leaf(_ field: SelectedField) -> ResponseValue? {
        mayRead(field.name) ? record[field.name]?.response ?? .null : nil
    }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        guard mayRead(field.name) else { throw Permission.Refusal.operation.error(for: field) }
        // This is an embedded value, or a value that the caller did not ask `leaf` for.
        if let value = record[field.name] { return value.resolved(in: RequestContext.self) }
        guard let relation = model.relations[field.name] else { return .null }
        // The result of a relation reveals the fields that the service follows it by.
        guard relation.fields.allSatisfy(mayRead) else { throw Permission.Refusal.operation.error(for: field) }
        switch relation.kind {
        case .key(let fields):
            // If a field of the key is missing, the relation has no related record.
            let key = fields.compactMap { record[$0] }
            guard key.count == fields.count else { return .null }
            return .pending { () async throws(ResolverError) in
                try await context.related(relation.target, RecordID(key), field)
            }
        case .index(let index, let fields):
            return .pending { () async throws(ResolverError) in
                try await context.first(
                    relation.target, in: index, with: fields.compactMap { record[$0] }, for: field)
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

/// The records of mutations.
extension RecordObject {
    /// A record that a mutation changed or found, as the caller may see it.
    init(changed record: Record, _ access: ModelAccess, isNew: Bool = false) {
        // The creator of a record already knows its contents.
        self.init(record: record, access: access, isReadable: isNew || access.permission(.get).holds(for: record))
    }

    /// The record as the data of an error of `field`: its selected fields, where a field that the caller may not read is null.
    /// Relations are left out. `nil` if only relations are selected.
    func data(of field: SelectedField) -> ResponseValue? {
        let selected = (field.selection()?.fields ?? []).filter { model.relations[$0.name] == nil }
        guard !selected.isEmpty else { return nil }
        let values = selected.map { field -> ResponseValue in
            if field.name == "__typename" { return .string(model.name) }
            return mayRead(field.name) ? record[field.name]?.response(of: field) ?? .null : .null
        }
        return .object(ResponseObject(names: selected.map(\.responseName), values: values))
    }
}

extension ModelAPI.RelationField {
    /// The fields of the record by which its related records are found.
    fileprivate var fields: [String] {
        switch kind {
        case .key(let fields), .index(_, let fields): fields
        case .connection(let connection): connection.fields
        }
    }
}
