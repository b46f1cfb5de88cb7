internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// The models of an app, and the kind of API that a server has for them.
struct OperationSchema: Sendable {
    let layout: SchemaLayout
    /// Whether the server's records have versions.
    let hasVersions: Bool
}

/// The parts of a model that the documents of its operations need.
struct OperationModel: Sendable {
    let layout: ModelLayout
    let operations: ModelOperations
    let types: TypeNames
    /// Whether the server's records have versions.
    let hasVersions: Bool
    /// All fields of the model with the server's metadata, as a selection without its braces.
    let selection: String

    init<Value: Model>(_ type: Value.Type, _ schema: OperationSchema) throws(GraphQLClientError) {
        let layout: ModelLayout
        do {
            layout = try schema.layout.model(of: type)
        } catch {
            throw GraphQLClientError(
                .invalidValue, "The client's schema has no model with the fields of \(type).", underlying: error)
        }
        self.init(layout, declaredBy: schema.layout.schema.declared, hasVersions: schema.hasVersions)
    }

    /// Makes the parts for the model with this layout. The operations select the fields that `schema` declares.
    ///
    /// - Parameter hasVersions: Whether the server's records have versions.
    init(_ layout: ModelLayout, declaredBy schema: Schema, hasVersions: Bool = true) {
        self.layout = layout
        let declared = schema.model(named: layout.name) ?? layout.schema
        self.hasVersions = hasVersions
        operations = ModelOperations(model: layout.name, directives: declared.directives)
        types = TypeNames(model: layout.name)
        let fields = Self.selection(of: declared.fields, schema, [])
        let metadata = ["_version", "_lastChangedAt", "_deleted"].filter { layout.schema.field(named: $0) == nil }
        selection = (["__typename"] + fields + (hasVersions ? metadata : [])).joined(separator: " ")
    }

    /// How often a type may be nested in itself. A document cannot select without a limit, so deeper values are not requested.
    private static let maximumRepetitions = 3

    private static func selection(of fields: [FieldSchema], _ schema: Schema, _ outer: [String]) -> [String] {
        fields.compactMap { field in
            guard case .embedded(let name) = field.type.innermostElement else { return field.name }
            guard let type = schema.embeddedTypes.first(where: { $0.name == name }),
                outer.count(where: { $0 == name }) < maximumRepetitions
            else { return nil }
            let inner = selection(of: type.fields, schema, outer + [name])
            return inner.isEmpty ? nil : "\(field.name) { \(inner.joined(separator: " ")) }"
        }
    }

    /// The name of an operation that the model must have.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` if `@model` says that the operation does not exist.
    ///   - kind: A description of the operation, for the error.
    func required(_ name: String?, _ kind: String) throws(GraphQLClientError) -> String {
        guard let name else {
            throw GraphQLClientError(
                .operationDisabled, "The model \(layout.name) has no \(kind), because its @model disables it.")
        }
        return name
    }

    /// A mutation of the field `field`.
    ///
    /// - Parameter deleted: The record that the mutation deletes; `nil` if it deletes none.
    func mutation<Value: Model>(
        _ field: String, _ inputType: String, _ input: [UInt8], _ condition: ModelPredicate<Value>,
        deleting deleted: RecordID? = nil
    ) throws(GraphQLClientError) -> PreparedOperation<RemoteRecord<Value>> {
        var arguments = [OperationArgument("input", "\(inputType)!", json: input)]
        if let json = try FilterInput(.condition, layout.schema).json(condition.queryPredicate) {
            arguments.append(OperationArgument("condition", types.condition, json: json))
        }
        let document = OperationDocument("mutation", field, arguments, selecting: selection)
        return PreparedOperation(document, field: field) { (response) throws(GraphQLClientError) in
            try response.checkErrors()
            // Without versions, the deletion of a record that does not exist is null.
            if let deleted, !hasVersions, response.hasField, response.value == nil {
                return .deleted(deleted, nil, last: nil)
            }
            return try record(try response.required(), as: Value.self, isDeletion: deleted != nil)
        }
    }

    // MARK: - Keys and inputs

    private func keyValues(_ id: RecordID) throws(GraphQLClientError) -> [(FieldLayout, FieldValue)] {
        guard id.components.count == layout.keyFields.count else {
            throw GraphQLClientError(.invalidValue, "The key of \(layout.name) has \(layout.keyFields.count) fields.")
        }
        return Array(zip(layout.keyFields, id.components))
    }

    /// The arguments that name the record with the id `id`.
    func keyArguments(_ id: RecordID) throws(GraphQLClientError) -> [OperationArgument] {
        try keyValues(id).map { field, value in
            OperationArgument(field.name, "\(field.schema.apiName)!", value)
        }
    }

    /// The input of a deletion. With `fields`, which are the values to set, it is the input of a creation or an update.
    func keyInput(
        _ id: RecordID, fields: [String: FieldValue?] = [:], version: UInt64?
    ) throws(GraphQLClientError) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        for (field, value) in try keyValues(id) {
            writer.key(field.name)
            writer.value(value)
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.value(value)
        }
        try write(version: version, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// The input of a creation or an update: the fields that a client may set.
    func input<Value: Model>(
        _ value: Value, removesMissing: Bool, version: UInt64?
    ) throws(GraphQLClientError) -> [UInt8] {
        let record: Record
        do {
            let arena = ByteArena()
            try layout.encode(value, into: arena)
            record = try Record(RowView(arena[0..<arena.count]), layout: layout)
        } catch {
            throw GraphQLClientError(
                .invalidValue, "The record does not fit the model \(layout.name).", underlying: error)
        }
        var writer = JSONWriter()
        writer.beginObject()
        for field in layout.schema.fields where !field.isReadOnly || layout.schema.primaryKey.contains(field.name) {
            let value = record[field.name]
            guard value != nil || removesMissing else { continue }
            writer.key(field.name)
            writer.value(value)
        }
        try write(version: version, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(version: UInt64?, to writer: inout JSONWriter) throws(GraphQLClientError) {
        guard let version else { return }
        guard hasVersions else {
            throw GraphQLClientError(
                .invalidValue,
                "The server's API has no versions. Give the change a condition, for example on the field updatedAt.")
        }
        guard let number = Int64(exactly: version) else {
            throw GraphQLClientError(.invalidValue, "The version is too large.")
        }
        writer.key("_version")
        writer.int(number)
    }

    // MARK: - Responses

    /// The record in the JSON object `json`.
    ///
    /// - Parameter isDeletion: Whether the object is the last state of a record that the server has deleted.
    func record<Value: Model>(
        _ json: [UInt8], as type: Value.Type, isDeletion: Bool = false
    ) throws(GraphQLClientError) -> RemoteRecord<Value> {
        do {
            var reader = RowJSONReader(layout: layout)
            let arena = ByteArena()
            let object = try json.withUnsafeBytes { try reader.append(serverObject: $0, to: arena) }
            switch object.content {
            case .row(let range):
                let row = try RowView(arena[range])
                let value = try Value.decoded(row, layout)
                // With versions, the object itself says whether the record is deleted.
                guard isDeletion, !hasVersions else { return .present(value, object.state) }
                return .deleted(try layout.recordID(of: row), nil, last: value)
            case .deletion(let id): return .deleted(id, object.state, last: lastValue(json))
            }
        } catch let error as RecordJSONError {
            throw GraphQLClientError(
                .malformedResponse, "The server's record does not fit the model: \(error).", underlying: error)
        } catch {
            throw GraphQLClientError(
                .malformedResponse, "The server's record does not fit the model \(layout.name).", underlying: error)
        }
    }

    /// The fields of the deleted record that the JSON object `json` is; `nil` if a required field is missing or wrong.
    private func lastValue<Value: Model>(_ json: [UInt8]) -> Value? {
        var reader = RowJSONReader(layout: layout)
        let arena = ByteArena()
        let object = try? json.withUnsafeBytes {
            try reader.append(serverObject: $0, ignoresDeletion: true, to: arena)
        }
        guard case .row(let range)? = object?.content else { return nil }
        return try? Value.decoded(RowView(arena[range]), layout)
    }

    /// The page of a list. An unusable element does not make the whole page fail.
    func page<Value: Model>(
        _ response: ServerResponse, as type: Value.Type
    ) throws(GraphQLClientError) -> RemotePage<Value> {
        guard let json = response.value else { throw response.failure }
        let (items, nextToken) = try ServerResponse.connection(json)
        var page = RemotePage<Value>(records: [], nextToken: nextToken, errors: response.errors)
        for (index, item) in items.enumerated() {
            let path = [response.field, "items", "\(index)"]
            guard let item else {
                // If the server reported an error for the element, that error says more.
                guard !response.errors.contains(where: { $0.path.starts(with: path) }) else { continue }
                page.errors.append(GraphQLResponseError(message: "The server gave null for a record.", path: path))
                continue
            }
            do throws(GraphQLClientError) {
                page.records.append(try record(item, as: type))
            } catch {
                page.errors.append(GraphQLResponseError(message: error.message, path: path))
            }
        }
        return page
    }
}

extension FieldSchema {
    /// The name of the field's type in the server's API.
    var apiName: String {
        if let scalar { return scalar }
        return switch type {
        case .id: "ID"
        case .string: "String"
        case .int: "Int"
        case .double: "Float"
        case .bool: "Boolean"
        case .enumeration(let name), .embedded(let name): name
        case .date: "AWSDate"
        case .time: "AWSTime"
        case .dateTime: "AWSDateTime"
        case .timestamp: "AWSTimestamp"
        case .list: preconditionFailure("only ordered fields are parts of keys")
        }
    }
}

extension FieldType {
    /// The type of the elements inside all lists.
    var innermostElement: FieldType {
        var type = self
        while case .list(let element, _) = type { type = element }
        return type
    }
}
