/// A condition on the fields of one record, as a value: what dynamic records and tools use. In code that has the model's
/// type, comparisons of its ``Field`` make a ``ModelPredicate``.
///
/// Logic has two values: a comparison with a missing value is false, `a != b` is exactly `!(a == b)`, and so is
/// `notContains`. Text is compared by its UTF-8 bytes, numbers exactly, temporals by instant, enums by raw text; false
/// comes before true. An empty `and` is true, an empty `or` false.
public indirect enum QueryPredicate: Sendable, Hashable {
    /// Every record. As the condition of a write: no condition.
    case all
    /// The field called `field` compares as told.
    case field(String, Comparison)
    /// All of the predicates hold.
    case and([QueryPredicate])
    /// At least one of the predicates holds.
    case or([QueryPredicate])
    /// The predicate does not hold.
    case not(QueryPredicate)
    /// What the relation or the field called so leads to satisfies the predicate: the related record, the embedded value, or
    /// one of several. False if there is none.
    ///
    /// The predicate on a related record follows no further relation. Conditions of writes, which look at one record,
    /// follow none; both may look into embedded values.
    case related(String, QueryPredicate)

    /// What a field's value is compared with.
    public enum Comparison: Sendable, Hashable {
        /// Equal; with `nil`: missing.
        case equal(FieldValue?)
        /// Not equal; with `nil`: not missing.
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
        /// Text that compares so with this text once both are folded: upper and lower case are the same.
        case ignoringCase(TextComparison, String)
        /// Text that has this text in it, or a list with this element.
        case contains(FieldValue)
        /// Not ``contains(_:)``; so also true if the value is missing.
        case notContains(FieldValue)
    }

    /// How a text is compared if upper and lower case are the same.
    ///
    /// Both texts are folded first, each character to one: Unicode's simple case folding (CaseFolding.txt of Unicode 15,
    /// statuses C and S). So "straße" equals "STRAẞE" and not "STRASSE", and accents count. Every adapter folds alike.
    public enum TextComparison: String, Sendable, Hashable, CaseIterable {
        /// The same text.
        case equal
        /// Text that begins with the other.
        case beginsWith
        /// Text that ends with the other.
        case endsWith
        /// Text that has the other in it.
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

    /// The predicates that must all hold for this one to hold, as far as it is a conjunction: what a planner looks at.
    public var conjuncts: [QueryPredicate] {
        switch self {
        case .all: []
        case .and(let members): members.flatMap(\.conjuncts)
        default: [self]
        }
    }
}
