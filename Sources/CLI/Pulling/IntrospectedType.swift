internal import TidelogJSON
internal import TidelogRecordText

/// A type as an introspection describes it.
struct IntrospectedType {
    /// A reference to a type, with its list and non-null marks.
    struct Reference {
        /// The name of the innermost type.
        let name: String
        /// The reference in the schema language: `[String!]!`.
        let text: String
        /// Whether a value is required.
        let isRequired: Bool

        /// Whether a value is a list.
        var isList: Bool { text.hasPrefix("[") }

        init?(_ json: JSONValue?) {
            guard let kind = json?["kind"]?.text else { return nil }
            switch kind {
            case "NON_NULL":
                guard let inner = Reference(json?["ofType"]) else { return nil }
                name = inner.name
                text = inner.text + "!"
                isRequired = true
            case "LIST":
                guard let inner = Reference(json?["ofType"]) else { return nil }
                name = inner.name
                text = "[\(inner.text)]"
                isRequired = false
            default:
                guard let name = json?["name"]?.text else { return nil }
                self.name = name
                text = name
                isRequired = false
            }
        }
    }

    /// A field with its arguments, or an input's field.
    struct Field {
        let name: String
        let type: Reference
        let description: String?
        let arguments: [Field]

        init?(_ json: JSONValue) {
            guard let name = json["name"]?.text, let type = Reference(json["type"]) else { return nil }
            self.name = name
            self.type = type
            description = json["description"]?.text
            arguments = (json["args"]?.elements ?? []).compactMap { Field($0) }
        }
    }

    let name: String
    let kind: String
    let description: String?
    let fields: [Field]
    let cases: [String]

    init?(_ json: JSONValue) {
        guard let name = json["name"]?.text, let kind = json["kind"]?.text else { return nil }
        self.name = name
        self.kind = kind
        description = json["description"]?.text
        let members = kind == "INPUT_OBJECT" ? json["inputFields"] : json["fields"]
        fields = (members?.elements ?? []).compactMap { Field($0) }
        cases = (json["enumValues"]?.elements ?? []).compactMap { $0["name"]?.text }
    }

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }
}

extension JSONValue {
    /// The text; `nil` if the value is not a text.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements; `nil` if the value is not a list.
    var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }
}
