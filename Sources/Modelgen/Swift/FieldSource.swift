internal import TidelogSchema

/// The Swift source for one field of a model or embedded type.
struct FieldSource {
    let schema: FieldSchema
    let name: SwiftName
    let run: GeneratorRun
    /// Whether the field is part of the primary key.
    var isKey = false
    /// Whether the field's value is stored on the heap, because the field's type contains itself.
    var isBoxed = false

    /// The Swift type without the question mark of an optional field.
    var valueType: String { run.swiftType(schema.type) }

    var type: String { schema.isRequired ? valueType : valueType + "?" }

    /// The declaration in the schema language.
    var sdl: String {
        var type = schema.type.sdl
        if let scalar = schema.scalar { type = type.replacing("String", with: scalar) }
        return "\(schema.name): \(type)\(schema.isRequired ? "!" : "")"
    }

    /// Whether only a server sets the field. Then no initializer has a parameter for it.
    var isServerSet: Bool { schema.isReadOnly && !schema.isRequired && !isKey }

    /// The property inside a function that has local names such as `row`.
    var reference: String { SwiftWords.isLocal(name.plain) ? "self.\(name.plain)" : name.quoted }

    // MARK: Declarations

    func property(_ text: inout SourceText, note: String? = nil) {
        let given = schema.documentation.flatMap { $0.isEmpty ? nil : $0 }
        var documentation = given ?? "`\(sdl)` in the schema."
        let separator = given == nil ? " " : "\n"
        if let note { documentation += separator + note }
        if isServerSet { documentation += separator + "Only a server sets it." }
        text.document(documentation)
        let word = isKey ? "let" : isServerSet ? "private(set) var" : "var"
        let access = run.access
        let box = isBoxed ? "@\(run.tidelog("Boxed")) " : ""
        text.halves("\(box)\(access)\(word) \(name.quoted):", type)
    }

    /// Writes the field as a member of the `Keys` of `owner`: a value of Tidelog's generic type `type`.
    func key(_ text: inout SourceText, of owner: SwiftName, as type: String) {
        text.document("``\(owner.plain)/\(name.plain)``")
        let value = run.swiftType(schema.type, elementsAreRequired: true)
        text.generic(
            "\(run.access)let \(name.quoted) = \(run.tidelog(type))", [owner.quoted, value],
            "(\(SwiftWords.literal(schema.name)))")
    }

    /// The parameter of an initializer, with its default.
    var parameter: SourceText.Expression {
        guard let value = defaultValue else { return .prefixed("\(name.quoted):", .text(type)) }
        if case .text(let text) = value { return .prefixed("\(name.quoted):", .text("\(type) = \(text)")) }
        return .prefixed("\(name.quoted): \(type) =", value)
    }

    private var defaultValue: SourceText.Expression? {
        if let value = schema.defaultValue { return literal(value) }
        if isKey, schema.name == "id", schema.type == .id { return .text(run.tidelog("UUIDv7") + ".next()") }
        return schema.isRequired ? nil : .text("nil")
    }

    private func literal(_ value: FieldValue) -> SourceText.Expression? {
        let literals = SchemaLiterals(run)
        switch (value, schema.type) {
        case (.string(let text), .enumeration(let name)):
            guard let type = run.schema.enums.first(where: { $0.name == name }) else { return nil }
            let enumCase = EnumSource.Names(type).name(text).plain
            return .text(schema.isRequired ? ".\(enumCase)" : "\(run.type(name).quoted).\(enumCase)")
        case (.string(let text), _): return .text(SwiftWords.literal(text))
        case (.int(let number), .timestamp):
            return .call("\(run.tidelog("Temporal")).Timestamp", texts: ["seconds: \(number)"])
        case (.int(let number), .double): return .text(Double(number).description)
        case (.int(let number), _): return .text(String(number))
        case (.double(let number), _): return .text(number.description)
        case (.bool(let flag), _): return .text(flag ? "true" : "false")
        case (.date(let date), _): return literals.temporal("Date", date)
        case (.time(let time), _): return literals.temporal("Time", time)
        case (.dateTime(let dateTime), _): return literals.temporal("DateTime", dateTime)
        case (.embedded, _), (.list, _): return nil
        }
    }

    // MARK: Rows

    func encode(_ text: inout SourceText) {
        let value = SwiftWords.isLocal(name.plain) && !schema.isRequired ? "value" : name.quoted
        let body: (inout SourceText) -> Void = { encodeValue(&$0, schema.isRequired ? reference : value) }
        if schema.isRequired { return body(&text) }
        let binding = value == name.quoted ? "if let \(value)" : "if let \(value) = \(reference)"
        if let statement = statement(value) {
            let line = "\(binding) { \(statement) } else { row.encodeMissing() }"
            if text.fits(line) { return text.line(line) }
        }
        text.line(binding + " {")
        text.indented(body)
        text.line("} else {")
        text.indented { $0.line("row.encodeMissing()") }
        text.line("}")
    }

    /// The statement that writes `value`; `nil` if one statement is not enough.
    private func statement(_ value: String) -> String? {
        switch schema.type {
        case .list: nil
        case .embedded: "row.encodeEmbedded { \(value).encode(into: &$0) }"
        case .enumeration: "row.encode(\(value).rawValue)"
        default: "row.encode(\(value))"
        }
    }

    private func encodeValue(_ text: inout SourceText, _ value: String) {
        if let statement = statement(value) { return text.line(statement) }
        guard case .list(let element, let elementIsRequired) = schema.type else { return }
        text.scope("row.encodeList { list in") {
            append(&$0, element, elementIsRequired, of: value, level: 1)
        }
    }

    /// Writes code that appends the elements of the list `value` to `list`.
    private func append(
        _ text: inout SourceText, _ type: FieldType, _ isRequired: Bool, of value: String, level: Int
    ) {
        let element = level == 1 ? "element" : "element\(level)"
        let list = level == 1 ? "list" : "list\(level - 1)"
        if case .list(let inner, let innerIsRequired) = type {
            text.block("for \(element) in \(value)") { text in
                if !isRequired {
                    text.block("guard let \(element) else") {
                        $0.line("\(list).appendMissing()")
                        $0.line("continue")
                    }
                }
                text.scope("\(list).appendList { list\(level) in") {
                    append(&$0, inner, innerIsRequired, of: element, level: level + 1)
                }
            }
            return
        }
        let statement: String
        switch type {
        case .embedded: statement = "\(list).appendEmbedded { \(element).encode(into: &$0) }"
        case .enumeration: statement = "\(list).append(\(element).rawValue)"
        default: statement = "\(list).append(\(element))"
        }
        let whole = isRequired ? statement : "if let \(element) { \(statement) } else { \(list).appendMissing() }"
        text.braces("for \(element) in \(value)", .text(whole))
    }

    /// Whether the field's value can be in a local constant with the field's name, next to the parameter `row`.
    private var hasLocal: Bool { !name.plain.hasPrefix("row") }

    /// Writes code that assigns the local constant of ``decode(_:)`` to the property.
    func assignDecoded(_ text: inout SourceText) {
        if hasLocal { text.assign("self.\(name.plain)", name.quoted) }
    }

    /// Writes code that reads the field into a local constant. An initializer that throws after it has set some of its
    /// properties is slow.
    func decode(_ text: inout SourceText) {
        let target = hasLocal ? "let \(name.quoted)" : "self.\(name.plain)"
        let ending = schema.isRequired ? "" : "IfPresent"
        switch schema.type {
        case .list:
            readList(
                &text, schema.type, opening: "\(target)\(hasLocal ? ": \(type)" : "") = try row.decodeList\(ending)")
        case .embedded(let type):
            let type = run.type(type).quoted
            text.write(.call("\(target) = try row.decodeEmbedded\(ending)", texts: ["\(type).init(from:)"]))
        case .enumeration(let type):
            let type = run.type(type).quoted
            let raw = "row.decode\(ending)(\(run.swift("String")).self)"
            if schema.isRequired {
                text.write(.call("\(target) = try \(type)", texts: ["rawValue: \(raw)"]))
            } else {
                text.braces("\(target) = try \(raw).map", .call(type, texts: ["rawValue: $0"]))
            }
        default: text.write(.call("\(target) = try row.decode\(ending)", texts: ["\(valueType).self"]))
        }
    }

    /// Writes code that reads a list: a call of `opening` with a closure that reads the elements.
    private func readList(_ text: inout SourceText, _ type: FieldType, opening: String) {
        guard case .list(let element, let elementIsRequired) = type else { return }
        let names = "(list) throws(\(run.tidelog("RowDamage"))) in"
        let all = elementIsRequired ? "all" : "allOrMissing"
        text.closure(opening, names) { text in
            if case .list = element {
                text.closure("try list.\(all)", names) {
                    readList(&$0, element, opening: "try list.nextList")
                }
            } else {
                text.closure("try list.\(all)", names, "try \(elementRead(element))")
            }
        }
    }

    private func elementRead(_ element: FieldType) -> String {
        switch element {
        case .embedded(let type): "list.nextEmbedded(\(run.type(type).quoted).init(from:))"
        case .enumeration(let type):
            "list.next(\(run.swift("String")).self).map { \(run.type(type).quoted)(rawValue: $0) }"
        default: "list.next(\(run.swiftType(element)).self)"
        }
    }
}
