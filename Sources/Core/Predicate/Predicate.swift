/// A condition on the fields of one record, as a value.
///
/// Logic has two values: a comparison with a missing value is false, `a != b` is exactly `!(a == b)`, and so is
/// `notContains`. Text is compared by its UTF-8 bytes, numbers exactly, temporals by instant, enums by raw text; false
/// comes before true. An empty `and` is true, an empty `or` false.
public indirect enum Predicate: Sendable, Hashable {
    /// Every record. As the condition of a write: no condition.
    case all
    /// The field called `field` compares as told.
    case field(String, Comparison)
    /// All of the predicates hold.
    case and([Predicate])
    /// At least one of the predicates holds.
    case or([Predicate])
    /// The predicate does not hold.
    case not(Predicate)
    /// The record that the relation called so leads to, or where it leads to several one of them, satisfies the predicate,
    /// which follows no further relation. False where there is no related record.
    ///
    /// For queries. Conditions of writes, which look at one record, take none.
    case related(String, Predicate)

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
        /// Text that has this text in it, or a list with this element.
        case contains(FieldValue)
        /// Not ``contains(_:)``; so also true where the value is missing.
        case notContains(FieldValue)
    }

    /// Both hold.
    public static func && (left: Predicate, right: Predicate) -> Predicate {
        switch (left, right) {
        case (.and(let left), .and(let right)): .and(left + right)
        case (.and(let left), _): .and(left + [right])
        default: .and([left, right])
        }
    }

    /// At least one holds.
    public static func || (left: Predicate, right: Predicate) -> Predicate {
        switch (left, right) {
        case (.or(let left), .or(let right)): .or(left + right)
        case (.or(let left), _): .or(left + [right])
        default: .or([left, right])
        }
    }

    /// The predicate does not hold.
    public static prefix func ! (predicate: Predicate) -> Predicate { .not(predicate) }

    /// The predicates that must all hold for this one to hold, as far as it is a conjunction: what a planner looks at.
    public var conjuncts: [Predicate] {
        switch self {
        case .all: []
        case .and(let members): members.flatMap(\.conjuncts)
        default: [self]
        }
    }
}
