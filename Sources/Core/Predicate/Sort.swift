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

    /// By each of `sorts` in turn, where the ones before are equal.
    public static func by(_ sorts: Sort...) -> Sort { Sort(sorts.flatMap(\.keys)) }
}

/// A part of an ordered result.
public struct Page: Sendable, Hashable {
    /// How many records to leave out at the start.
    public let offset: Int
    /// How many records to return at most, `nil` for all.
    public let limit: Int?

    /// At most `limit` records after the first `offset`.
    public init(offset: Int = 0, limit: Int? = nil) {
        precondition(offset >= 0 && limit ?? 0 >= 0, "offset and limit are not negative")
        self.offset = offset
        self.limit = limit
    }

    /// Every record.
    public static let all = Page()

    /// The first `count` records.
    public static func first(_ count: Int) -> Page { Page(limit: count) }

    /// Page `number`, from 0, of pages of `limit` records.
    public static func page(_ number: Int, limit: Int = 100) -> Page { Page(offset: number * limit, limit: limit) }
}
