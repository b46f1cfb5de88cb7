internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogJSON

/// A value of a model introspection. It knows where it is, so that an error can say which value does not fit.
struct IntrospectionNode {
    let value: JSONValue
    /// The keys that lead to the value: `models.Post.fields.title`.
    let path: String

    /// An error about this value. A file without line breaks has no useful line, so the message has the path.
    func failure(_ problem: String, suggestion: String? = nil) -> SchemaDiagnostic {
        SchemaDiagnostic("\(path) \(problem)", at: SourceLocation(line: 1, column: 1), suggestion: suggestion)
    }

    /// The value of the key `key`; `nil` if it is missing or `null`.
    subscript(key: String) -> IntrospectionNode? {
        guard let member = value[key], member != .null else { return nil }
        return IntrospectionNode(value: member, path: path.isEmpty ? key : "\(path).\(key)")
    }

    /// The value of the key `key`.
    func required(_ key: String) throws(SchemaDiagnostic) -> IntrospectionNode {
        guard let member = self[key] else { throw failure("has no \"\(key)\"") }
        return member
    }

    /// The members of an object, in order.
    func members() throws(SchemaDiagnostic) -> [(name: String, node: IntrospectionNode)] {
        guard case .object(let members) = value else { throw failure("must be an object") }
        return members.map { ($0.key, IntrospectionNode(value: $0.value, path: "\(path).\($0.key)")) }
    }

    /// The elements of a list.
    func elements() throws(SchemaDiagnostic) -> [IntrospectionNode] {
        guard case .array(let elements) = value else { throw failure("must be a list") }
        return elements.enumerated().map { IntrospectionNode(value: $1, path: "\(path)[\($0)]") }
    }

    func text() throws(SchemaDiagnostic) -> String {
        guard case .string(let text) = value else { throw failure("must be a text") }
        return text
    }

    func texts() throws(SchemaDiagnostic) -> [String] {
        var texts: [String] = []
        for element in try elements() { texts.append(try element.text()) }
        return texts
    }

    /// The text of the key `key`, which is the name of a type, a field or an index.
    func name(_ key: String) throws(SchemaDiagnostic) -> Name {
        let member = try required(key)
        return try member.checkedName(member.text())
    }

    /// The name `text`, which this value has or contains. The schema language has no way to quote a name.
    func checkedName(_ text: String) throws(SchemaDiagnostic) -> Name {
        guard Names.isName(text) else { throw failure("has the name \"\(text)\", which no schema can have") }
        return Name(value: text)
    }

    /// Whether the key `key` is `true`. A missing key counts as `false`.
    func isTrue(_ key: String) throws(SchemaDiagnostic) -> Bool {
        guard let member = self[key] else { return false }
        guard case .bool(let flag) = member.value else { throw member.failure("must be true or false") }
        return flag
    }
}
