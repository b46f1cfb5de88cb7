/// A condition on the fields of one record, as a value. Dynamic records and tools use it.
///
/// Code that has the model's type uses ``ModelPredicate``, which comparisons of a ``Field`` make.
///
/// Logic has two values. A comparison with a missing value is false. `a != b` is always the same as `!(a == b)`, and
/// `notContains` is always the opposite of `contains`. Text is compared by its UTF-8 bytes, numbers exactly, temporals by
/// instant, and enums by raw text. False sorts before true. An empty `and` is true, and an empty `or` is false.
public indirect enum QueryPredicate: Sendable, Hashable {
    /// All records. As the condition of a write, it means no condition.
    case all
    /// The comparison holds for the field with this name.
    case field(String, Comparison)
    /// All of the predicates hold.
    case and([QueryPredicate])
    /// At least one of the predicates holds.
    case or([QueryPredicate])
    /// The predicate does not hold.
    case not(QueryPredicate)
    /// The related record or embedded value with this name satisfies the predicate.
    ///
    /// If there are several, at least one must satisfy it. If there is none, this is false. The predicate on a related record
    /// cannot follow further relations. A condition of a write concerns a single record, so it cannot follow relations. Both
    /// may look into embedded values.
    ///
    /// A text, a temporal and a list have a part with the name `size`, a whole number: the number of UTF-8 bytes of the text,
    /// or the number of elements of the list. A list of embedded values has no such part. A temporal also has the part `text`,
    /// the text that it was saved with, which is compared by its bytes: `.related("day", .field("text", .beginsWith("2026")))`.
    /// The predicate on a part is one comparison. It is false if the value is missing.
    case related(String, QueryPredicate)

    /// A comparison of a field's value.
    public enum Comparison: Sendable, Hashable {
        /// Equal. With `nil`: missing.
        case equal(FieldValue?)
        /// Not equal. With `nil`: not missing.
        case notEqual(FieldValue?)
        /// Less.
        case less(FieldValue)
        /// Less or equal.
        case lessOrEqual(FieldValue)
        /// Greater.
        case greater(FieldValue)
        /// Greater or equal.
        case greaterOrEqual(FieldValue)
        /// At least the first and at most the second.
        case between(FieldValue, FieldValue)
        /// Text that begins with this text.
        case beginsWith(String)
        /// Text that ends with this text.
        case endsWith(String)
        /// Text that satisfies the comparison with this text after both were folded, so that upper and lower case are equal.
        case ignoringCase(TextComparison, String)
        /// Text that contains this text, or a list that contains this element.
        case contains(FieldValue)
        /// The opposite of ``contains(_:)``. It is therefore also true if the value is missing.
        case notContains(FieldValue)
    }

    /// The comparisons of texts that ignore the difference between upper and lower case.
    ///
    /// Both texts are folded first, each character to one character, with Unicode's simple case folding (CaseFolding.txt of
    /// Unicode 15, statuses C and S). Therefore "straße" equals "STRAẞE" but not "STRASSE", and accents are significant. All
    /// adapters fold in the same way.
    public enum TextComparison: String, Sendable, Hashable, CaseIterable {
        /// The same text.
        case equal
        /// Text that begins with the other text.
        case beginsWith
        /// Text that ends with the other text.
        case endsWith
        /// Text that contains the other text.
        case contains
    }

    /// Both hold.
    public static func && (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        switch (left, right) {
        case (.and(let left), .and(let right)): .and(left + right)
        case (.and(let left), _): .and(left + [right])
        default: .and([left, right])
        }
    }

    /// At least one holds.
    public static func || (left: QueryPredicate, right: QueryPredicate) -> QueryPredicate {
        switch (left, right) {
        case (.or(let left), .or(let right)): .or(left + right)
        case (.or(let left), _): .or(left + [right])
        default: .or([left, right])
        }
    }

    /// The predicate does not hold.
    public static prefix func ! (predicate: QueryPredicate) -> QueryPredicate { .not(predicate) }

    /// The members of this predicate if it is a conjunction, otherwise the predicate itself. Planners use them.
    public var conjuncts: [QueryPredicate] {
        switch self {
        case .all: []
        case .and(let members): members.flatMap(\.conjuncts)
        default: [self]
        }
    }
}

extension QueryPredicate.Comparison {
    /// Whether both are the same comparison with equal values. Texts are compared by their UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        let (left, right) = (left.parts, right.parts)
        return left.kind == right.kind && left.first == right.first && left.second == right.second
    }

    /// Hashes the parts that equality compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parts.kind)
        hasher.combine(parts.first)
        hasher.combine(parts.second)
    }

    /// The comparison as values whose equality is the right one.
    private var parts: (kind: UInt8, first: FieldValue?, second: FieldValue?) {
        switch self {
        case .equal(let value): (0, value, nil)
        case .notEqual(let value): (1, value, nil)
        case .less(let value): (2, value, nil)
        case .lessOrEqual(let value): (3, value, nil)
        case .greater(let value): (4, value, nil)
        case .greaterOrEqual(let value): (5, value, nil)
        case .between(let lower, let upper): (6, lower, upper)
        case .beginsWith(let prefix): (7, .string(prefix), nil)
        case .contains(let value): (8, value, nil)
        case .notContains(let value): (9, value, nil)
        case .endsWith(let suffix): (10, .string(suffix), nil)
        case .ignoringCase(let comparison, let text): (11, .string(comparison.rawValue), .string(text))
        }
    }
}
