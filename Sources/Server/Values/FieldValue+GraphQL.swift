package import TidelogCore
package import TidelogGraphQLExecution

extension FieldValue {
    /// Converts a coerced input value to a value of a field of `type`; `nil` for null.
    ///
    /// A text that is not valid for a temporal type stays a text. Conditions then compare it as a text.
    package init?(_ input: InputValue, as type: FieldType, in schema: Schema) {
        switch (input, type) {
        case (.null, _): return nil
        case (.bool(let truth), _): self = .bool(truth)
        case (.int(let number), .double): self = .double(Double(number))
        case (.int(let number), _): self = .int(number)
        case (.double(let number), _): self = .double(number)
        case (.string(let text), .date): self = (try? Temporal.Date(text)).map { .date($0) } ?? .string(text)
        case (.string(let text), .time): self = (try? Temporal.Time(text)).map { .time($0) } ?? .string(text)
        case (.string(let text), .dateTime):
            self = (try? Temporal.DateTime(text)).map { .dateTime($0) } ?? .string(text)
        case (.string(let text), _): self = .string(text)
        case (.list(let elements), .list(let element, _)):
            self = .list(elements.map { FieldValue($0, as: element, in: schema) })
        case (.list(let elements), _): self = .list(elements.map { FieldValue($0, as: type, in: schema) })
        case (.object(let object), .embedded(let name)):
            let fields = schema.embeddedTypes.first { $0.name == name }?.fields ?? []
            var values: [String: FieldValue] = [:]
            for field in fields {
                guard let member = object[field.name] else { continue }
                values[field.name] = FieldValue(member, as: field.type, in: schema)
            }
            self = .embedded(values)
        case (.object, _): preconditionFailure("only embedded types take objects")
        }
    }

    /// The text of a text value or a temporal value.
    var text: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        default: nil
        }
    }

    /// The resolved value for a response. Embedded values become objects.
    func resolved<Context>(in context: Context.Type) -> ResolvedValue<Context> {
        switch self {
        case .embedded(let values): .object(EmbeddedObject<Context>(values: values))
        case .list(let elements) where elements.contains(where: \.isEmbedded):
            .list(elements.map { $0?.resolved(in: context) ?? .null })
        default: .leaf(response)
        }
    }

    /// The response value of `field`. Embedded values have their selected fields.
    func response(of field: SelectedField) -> ResponseValue {
        switch self {
        case .embedded(let values):
            let selected = field.selection()?.fields ?? []
            return .object(
                ResponseObject(
                    names: selected.map(\.responseName),
                    values: selected.map { field in
                        field.name == "__typename"
                            ? .string(field.parent.name) : values[field.name]?.response(of: field) ?? .null
                    }))
        case .list(let elements): return .list(elements.map { $0?.response(of: field) ?? .null })
        default: return response
        }
    }

    /// The response value. Embedded values have all their stored fields.
    var response: ResponseValue {
        switch self {
        case .string(let text): return .string(text)
        case .int(let number): return .int(number)
        case .double(let number): return .double(number)
        case .bool(let truth): return .bool(truth)
        case .date(let date): return .string(date.text)
        case .time(let time): return .string(time.text)
        case .dateTime(let dateTime): return .string(dateTime.text)
        case .list(let elements): return .list(elements.map { $0?.response ?? .null })
        case .embedded(let values):
            let members = values.sorted { $0.key < $1.key }
            return .object(ResponseObject(names: members.map(\.key), values: members.map(\.value.response)))
        }
    }
}

extension Optional<FieldValue> {
    fileprivate var isEmbedded: Bool {
        if case .embedded = self { true } else { false }
    }
}

/// A value embedded in a record.
private struct EmbeddedObject<Context: AnyObject & Sendable>: ResolvableObject {
    let values: [String: FieldValue]

    var typeName: String { "" }

    func resolve(_ field: SelectedField, in context: Context) throws(ResolverError) -> ResolvedValue<Context> {
        values[field.name]?.resolved(in: Context.self) ?? .null
    }
}

extension InputValue {
    /// The input value that a client would send for `value`.
    init(_ value: FieldValue) {
        self =
            switch value {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let truth): .bool(truth)
            case .date(let date): .string(date.text)
            case .time(let time): .string(time.text)
            case .dateTime(let dateTime): .string(dateTime.text)
            case .list(let elements): .list(elements.map { element in element.map { InputValue($0) } ?? .null })
            case .embedded(let values):
                .object(InputObject(values.map { .init(name: $0.key, value: InputValue($0.value)) }))
            }
    }
}
