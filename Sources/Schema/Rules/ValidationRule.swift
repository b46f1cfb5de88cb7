/// A rule for the values of a field: the directive `@validate` of Amplify's schema language.
///
/// A store checks the rules of a model's fields at each local write, and a server checks them at each mutation. A missing value
/// breaks no rule. A rule does not concern values that are already stored.
public struct ValidationRule: Sendable {
    /// The kinds of rules.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The number is greater than the bound.
        case gt
        /// The number is less than the bound.
        case lt
        /// The number is greater than the bound or equal to it.
        case gte
        /// The number is less than the bound or equal to it.
        case lte
        /// The text has at least this many UTF-16 code units.
        case minLength
        /// The text has at most this many UTF-16 code units.
        case maxLength
        /// The text begins with this text.
        case startsWith
        /// The text ends with this text.
        case endsWith
        /// A part of the text matches this regular expression.
        case matches

        /// Whether the rule is about a number. The other rules are about texts.
        public var isOfNumbers: Bool {
            switch self {
            case .gt, .lt, .gte, .lte: true
            case .minLength, .maxLength, .startsWith, .endsWith, .matches: false
            }
        }
    }

    /// The reason why something is no rule, as a part of a sentence.
    package struct Problem: Error {
        package let reason: String
    }

    private enum Test {
        case number(NumberBound)
        case length(Int)
        case text([UInt8])
        case pattern(TextPattern)
    }

    /// The kind of rule.
    public let kind: Kind
    /// The bound, text or pattern, as the schema has it.
    public let value: String
    /// The message of the schema for a value that breaks the rule, `nil` if it has none.
    public let errorMessage: String?
    private let test: Test

    /// - Throws: ``Problem`` if `value` is no bound, text or pattern for `kind`.
    package init(_ kind: Kind, _ value: String, errorMessage: String? = nil) throws(Problem) {
        self.kind = kind
        self.value = value
        self.errorMessage = errorMessage
        switch kind {
        case .gt, .lt, .gte, .lte:
            guard let bound = NumberBound(value) else {
                throw Problem(reason: "the bound of \(kind.rawValue) must be a number")
            }
            test = .number(bound)
        case .minLength, .maxLength:
            guard let length = UInt32(value) else {
                throw Problem(reason: "the bound of \(kind.rawValue) must be a whole number from 0 on")
            }
            test = .length(Int(length))
        case .startsWith, .endsWith: test = .text(Array(value.utf8))
        case .matches:
            do { test = .pattern(try TextPattern(value)) } catch {
                throw Problem(reason: "the pattern of matches cannot be used: \(error.reason)")
            }
        }
    }

    /// The message for a value of the field called `field` that breaks the rule: ``errorMessage``, or a sentence about the
    /// rule if the schema has no message.
    public func message(for field: String) -> String {
        if let errorMessage { return errorMessage }
        return switch kind {
        case .gt: "\(field) must be greater than \(value)."
        case .lt: "\(field) must be less than \(value)."
        case .gte: "\(field) must be at least \(value)."
        case .lte: "\(field) must be at most \(value)."
        case .minLength: "\(field) must have at least \(value) characters."
        case .maxLength: "\(field) must have at most \(value) characters."
        case .startsWith: "\(field) must begin with \"\(value)\"."
        case .endsWith: "\(field) must end with \"\(value)\"."
        case .matches: "\(field) must match the pattern \(value)"
        }
    }

    /// Whether `value` follows the rule. A value of another kind than the rule is about breaks no rule.
    public func admits(_ value: FieldValue) -> Bool {
        switch value {
        case .int(let number): admits { $0.order(of: number) }
        case .double(let number): admits { $0.order(of: number) }
        case .string(var text): text.withUTF8 { admits(text: UnsafeRawBufferPointer($0)) }
        default: true
        }
    }

    /// Whether the UTF-8 text in `bytes` follows the rule.
    package func admits(text bytes: UnsafeRawBufferPointer) -> Bool {
        switch test {
        case .number: true
        case .length(let length): kind == .minLength ? bytes.utf16Count >= length : bytes.utf16Count <= length
        case .text(let text):
            text.count <= bytes.count
                && (kind == .startsWith ? bytes.prefix(text.count) : bytes.suffix(text.count)).elementsEqual(text)
        case .pattern(let pattern): pattern.matches(bytes)
        }
    }

    private func admits(_ order: (NumberBound) -> Int32) -> Bool {
        guard case .number(let bound) = test else { return true }
        return switch kind {
        case .gt: order(bound) > 0
        case .lt: order(bound) < 0
        case .gte: order(bound) >= 0
        case .lte: order(bound) <= 0
        default: true
        }
    }
}

extension ValidationRule: Hashable {
    /// Whether both rules have the same kind, value and message.
    public static func == (left: ValidationRule, right: ValidationRule) -> Bool {
        left.kind == right.kind && left.value.utf8.elementsEqual(right.value.utf8)
            && left.errorMessage.map { Array($0.utf8) } == right.errorMessage.map { Array($0.utf8) }
    }

    /// Hashes what the comparison compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(value.utf8.count)
    }
}

extension ValidationRule: CustomStringConvertible {
    /// The kind and the value: `minLength 3`.
    public var description: String { "\(kind.rawValue) \(value)" }
}

/// A bound that numbers are compared with. Whole numbers are exact.
private enum NumberBound: Sendable {
    case int(Int64)
    case double(Double)

    init?(_ text: String) {
        if let number = Int64(text) {
            self = .int(number)
        } else if let number = Double(text), number.isFinite {
            self = .double(number)
        } else {
            return nil
        }
    }

    /// A negative number if `number` is less than the bound, 0 if both are equal, and a positive number otherwise.
    func order(of number: Int64) -> Int32 {
        switch self {
        case .int(let bound): number < bound ? -1 : number == bound ? 0 : 1
        case .double(let bound): NumberComparison.order(number, bound)
        }
    }

    func order(of number: Double) -> Int32 {
        switch self {
        case .int(let bound): -NumberComparison.order(bound, number)
        case .double(let bound): number < bound ? -1 : number == bound ? 0 : 1
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The number of UTF-16 code units of the text in these bytes, which are UTF-8.
    fileprivate var utf16Count: Int {
        reduce(into: 0) { count, byte in count += byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1 }
    }
}
