/// Reads the text of directives in the form in which a schema keeps them: `@auth(rules: [{allow: owner}])`.
package struct DirectiveText {
    private struct Malformed: Error {}

    private var rest: Substring.UTF8View

    /// The arguments of the directives called `name` in `text`, one object for each; `nil` if the text cannot be read.
    package static func arguments(of name: String, in text: String) -> [Value]? {
        var reader = DirectiveText(rest: text[...].utf8)
        return try? reader.directives().filter { $0.name == name }.map(\.arguments)
    }

    private mutating func directives() throws -> [(name: String, arguments: Value)] {
        var directives: [(String, Value)] = []
        while skip(UInt8(ascii: "@")) {
            let name = try self.name()
            let members = skip(UInt8(ascii: "(")) ? try self.members(until: UInt8(ascii: ")")) : [:]
            directives.append((name, .object(members)))
        }
        guard rest.isEmpty else { throw Malformed() }
        return directives
    }

    private mutating func members(until end: UInt8) throws -> [String: Value] {
        var members: [String: Value] = [:]
        while !skip(end) {
            let name = try self.name()
            guard skip(UInt8(ascii: ":")) else { throw Malformed() }
            members[name] = try value()
        }
        return members
    }

    private mutating func value() throws -> Value {
        if skip(UInt8(ascii: "{")) { return .object(try members(until: UInt8(ascii: "}"))) }
        if skip(UInt8(ascii: "[")) {
            var elements: [Value] = []
            while !skip(UInt8(ascii: "]")) { elements.append(try value()) }
            return .list(elements)
        }
        if skip(UInt8(ascii: "\"")) { return .text(try string()) }
        let name = try self.name()
        return name == "null" ? .null : .text(name)
    }

    /// A name or a number.
    private mutating func name() throws -> String {
        skipBlanks()
        let bytes = rest.prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard !bytes.isEmpty else { throw Malformed() }
        rest = rest[bytes.endIndex...]
        return String(Substring(bytes))
    }

    /// The string whose first quotation mark was read.
    private mutating func string() throws -> String {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): bytes += try escaped()
            default: bytes.append(byte)
            }
        }
        throw Malformed()
    }

    /// The characters that an escape stands for. The backslash was read already.
    private mutating func escaped() throws -> [UInt8] {
        switch rest.popFirst() {
        case UInt8(ascii: "n")?: return [0x0A]
        case UInt8(ascii: "r")?: return [0x0D]
        case UInt8(ascii: "t")?: return [0x09]
        case UInt8(ascii: "b")?: return [0x08]
        case UInt8(ascii: "f")?: return [0x0C]
        case UInt8(ascii: "u")?:
            let digits = Substring(rest.prefix(4))
            guard digits.utf8.count == 4, let number = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(number)
            else { throw Malformed() }
            rest = rest.dropFirst(4)
            return Array(String(Character(scalar)).utf8)
        case let byte?: return [byte]
        case nil: throw Malformed()
        }
    }

    /// Skips `byte`, and blanks and commas before it. Returns false if another byte comes next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipBlanks() {
        while let byte = rest.first {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: ","): rest.removeFirst()
            case UInt8(ascii: "#"): rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            default: return
            }
        }
    }

    /// A value in the text of a directive.
    package enum Value: Sendable, Hashable {
        case null
        /// A string, a name or a number.
        case text(String)
        case list([Value])
        case object([String: Value])

        /// The member called `name`; `nil` if there is none or if it is null.
        package subscript(name: String) -> Value? {
            let value = member(name)
            return value == .null ? nil : value
        }

        /// The member called `name`, which may be null; `nil` if there is none.
        package func member(_ name: String) -> Value? {
            guard case .object(let members) = self else { return nil }
            return members[name]
        }

        package var text: String? { if case .text(let text) = self { text } else { nil } }

        /// The elements; a value that is no list counts as a list with one.
        package var elements: [Value] {
            switch self {
            case .list(let elements): elements
            case .null: []
            default: [self]
            }
        }
    }
}
