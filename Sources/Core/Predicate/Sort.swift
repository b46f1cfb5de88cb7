/// An order of records: by fields, then always by key, so that it is total.
///
/// Ascending puts missing values first; descending is the reverse of ascending, except for the key, which always
/// ascends.
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

    /// By key alone.
    public static let byKey = Sort([])

    /// Small values first.
    public static func ascending<Target, Value>(_ field: Field<Target, Value>) -> Sort { Sort([Key(field.name)]) }

    /// Large values first.
    public static func descending<Target, Value>(_ field: Field<Target, Value>) -> Sort {
        Sort([Key(field.name, isDescending: true)])
    }

    /// By each of `sorts` in turn, if the ones before are equal.
    public static func by(_ sorts: Sort...) -> Sort { Sort(sorts.flatMap(\.keys)) }
}
