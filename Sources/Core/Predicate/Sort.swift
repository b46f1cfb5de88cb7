/// An order of records: by fields, then always by key, so that no two records are equal.
///
/// In ascending order, missing values come first. Descending order is the reverse of ascending order, except for the key, which
/// is always ascending.
public struct Sort: Sendable, Hashable {
    /// One field and its direction.
    public struct Key: Sendable, Hashable {
        /// The field's name.
        public let field: String
        /// Whether large values come first.
        public let isDescending: Bool

        /// Orders by `field`.
        public init(_ field: String, isDescending: Bool = false) {
            self.field = field
            self.isDescending = isDescending
        }
    }

    /// The fields, the most significant first.
    public let keys: [Key]

    /// Orders by `keys`, the most significant first.
    public init(_ keys: [Key]) { self.keys = keys }

    /// Sorts only by key.
    public static let byKey = Sort([])

    /// Sorts by `field`, with small values first.
    public static func ascending<Target, Value>(_ field: Field<Target, Value>) -> Sort { Sort([Key(field.name)]) }

    /// Sorts by `field`, with large values first.
    public static func descending<Target, Value>(_ field: Field<Target, Value>) -> Sort {
        Sort([Key(field.name, isDescending: true)])
    }

    /// Sorts by the first of `sorts`. Each following sort applies to records that are equal in the sorts before it.
    public static func by(_ sorts: Sort...) -> Sort { Sort(sorts.flatMap(\.keys)) }
}
