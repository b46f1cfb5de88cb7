/// A part of an ordered result.
public struct Page: Sendable {
    /// How many records to leave out at the start.
    public let offset: Int
    /// How many records to return at most, `nil` for all.
    public let limit: Int?
    /// The record that the page comes after, `nil` for one that is counted from the start.
    let anchor: PageAnchor?

    /// At most `limit` records after the first `offset`.
    public init(offset: Int = 0, limit: Int? = nil) {
        precondition(offset >= 0 && limit ?? 0 >= 0, "offset and limit are not negative")
        self.offset = offset
        self.limit = limit
        anchor = nil
    }

    private init(_ anchor: PageAnchor, limit: Int?) {
        precondition(limit ?? 0 >= 0, "a limit is not negative")
        offset = 0
        self.limit = limit
        self.anchor = anchor
    }

    /// Every record.
    public static let all = Page()

    /// The first `count` records.
    public static func first(_ count: Int) -> Page { Page(limit: count) }

    /// Page `number`, from 0, of pages of `limit` records.
    public static func page(_ number: Int, limit: Int = 100) -> Page { Page(offset: number * limit, limit: limit) }

    /// At most `limit` records that come after `record` in the query's order: the page after one that ended with it.
    ///
    /// ```swift
    /// let next = try await store.query(
    ///     City.self, sort: .descending(City.keys.population), page: .after(last, limit: 20))
    /// ```
    ///
    /// A page by offset reads what it leaves out; this one begins where the one before ended, however far that is, and
    /// leaves nothing out if records were inserted or deleted meanwhile. `record` need not be stored any more: its own
    /// values say where the page begins.
    public static func after<Value: Model>(_ record: Value, limit: Int? = nil) -> Page {
        Page(PageAnchor(record), limit: limit)
    }

    /// At most `limit` records that come after the dynamic `record` in the query's order, as ``after(_:limit:)-(Value,_)``.
    public static func after(_ record: Record, limit: Int? = nil) -> Page { Page(PageAnchor(record), limit: limit) }
}

/// The record that a page comes after.
struct PageAnchor: Sendable {
    private let encoded: @Sendable (SchemaLayout) throws -> (model: ModelLayout, row: ByteArena)

    init<Value: Model>(_ record: Value) {
        encoded = { layout in
            let (model, arena) = (try layout.model(of: Value.self), ByteArena())
            try model.encode(record, into: arena)
            return (model, arena)
        }
    }

    init(_ record: Record) {
        encoded = { layout in
            let (model, arena) = (try layout.required(record.model), ByteArena())
            try model.encode(record, into: arena)
            return (model, arena)
        }
    }

    /// Calls `body` with the row and the key of the record, which must be one of `model`.
    func withRow<Result>(
        of model: ModelLayout, in layout: SchemaLayout, _ body: (RowView, [UInt8]) throws -> Result
    ) throws -> Result {
        let (own, arena) = try encoded(layout)
        guard own.name == model.name else {
            throw DataStoreError(
                .invalidPredicate, "The page comes after a record of \(own.name), but the query is of \(model.name).",
                model: model.name, recovery: "Use a record of \(model.name).")
        }
        let row = try RowView(arena[0..<arena.count])
        return try body(row, try model.primaryKey(of: row))
    }
}
