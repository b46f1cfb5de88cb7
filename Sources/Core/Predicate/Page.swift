/// A part of an ordered result.
public struct Page: Sendable, Hashable {
    /// The number of records to skip at the start.
    public let offset: Int
    /// The largest number of records to return, or `nil` for all.
    public let limit: Int?
    /// The record after which the page begins, or `nil` for a page that is counted from the start.
    let anchor: Anchor?

    /// At most `limit` records after the first `offset`.
    public init(offset: Int = 0, limit: Int? = nil) {
        precondition(offset >= 0 && limit ?? 0 >= 0, "offset and limit are not negative")
        self.offset = offset
        self.limit = limit
        anchor = nil
    }

    private init(_ anchor: Anchor, limit: Int?) {
        precondition(limit ?? 0 >= 0, "a limit is not negative")
        offset = 0
        self.limit = limit
        self.anchor = anchor
    }

    /// Every record.
    public static let all = Page()

    /// The first `count` records.
    public static func first(_ count: Int) -> Page { Page(limit: count) }

    /// Page `number`, counted from 0, with `limit` records on each page.
    public static func page(_ number: Int, limit: Int = 100) -> Page { Page(offset: number * limit, limit: limit) }

    /// The page after `record` in the query's order, with at most `limit` records. `record` is the last record of the page
    /// before.
    ///
    /// ```swift
    /// let cities = City.all.sorted(by: .descending(City.keys.population))
    /// let next = try await store.fetch(cities.page(.after(last, limit: 20)))
    /// ```
    ///
    /// A page with an offset reads all records that it skips. This page instead begins where the previous one ended, no
    /// matter how far that is, and it misses no record if records were inserted or deleted in between. `record` need not be
    /// stored any more: its values define where the page begins.
    public static func after<Value: Model>(_ record: Value, limit: Int? = nil) -> Page {
        Page(.value(AnyModel(record)), limit: limit)
    }

    /// At most `limit` records that come after `place` in the query's order.
    package static func after(_ place: PagePlace, limit: Int? = nil) -> Page { Page(.place(place), limit: limit) }

    /// At most `limit` records after the dynamic `record` in the query's order, like ``after(_:limit:)-(Value,_)``.
    public static func after(_ record: Record, limit: Int? = nil) -> Page { Page(.record(record), limit: limit) }

    /// The same page with at most `limit` records.
    func limited(to limit: Int) -> Page {
        precondition(limit >= 0, "a limit is not negative")
        return anchor.map { Page($0, limit: limit) } ?? Page(offset: offset, limit: limit)
    }

    /// The record or the place after which a page begins.
    enum Anchor: Sendable, Hashable {
        case value(AnyModel)
        case record(Record)
        case place(PagePlace)
    }
}

extension Page.Anchor {
    /// The order of a query: its model and the fields by which it sorts.
    typealias Order = (model: ModelLayout, fields: [FieldLayout])
    /// A place in that order: the values of those fields, and the key.
    typealias Place = (values: [FieldValue?], key: [UInt8])

    /// The place in `order` after which the page begins.
    func place(in order: Order, _ layout: SchemaLayout) throws -> Place {
        switch self {
        case .value(let model): return try Self.place(of: model.value, in: order, layout)
        case .record(let record):
            let (model, arena) = (try layout.required(record.model), ByteArena())
            try model.encode(record, into: arena)
            return try Self.place(of: arena, model, in: order)
        case .place(let place):
            guard let found = place.read(order.fields.map(\.type), order.model.keyFields.map(\.type)) else {
                throw DataStoreError(
                    .invalidPredicate, "The place that the page comes after is one of another order.",
                    model: order.model.name, recovery: "Ask for the first page again.")
            }
            return found
        }
    }

    private static func place<Value: Model>(of value: Value, in order: Order, _ layout: SchemaLayout) throws -> Place {
        let (model, arena) = (try layout.model(of: Value.self), ByteArena())
        try model.encode(value, into: arena)
        return try place(of: arena, model, in: order)
    }

    /// The place in `order` of the record in `arena`. It must be of the model that the query reads.
    private static func place(of arena: ByteArena, _ model: ModelLayout, in order: Order) throws -> Place {
        guard model.name == order.model.name else {
            throw DataStoreError(
                .invalidPredicate,
                "The page comes after a record of \(model.name), but the query is of \(order.model.name).",
                model: order.model.name, recovery: "Use a record of \(order.model.name).")
        }
        let row = try RowView(arena[0..<arena.count])
        return (try order.fields.map { try FieldValue(row, field: $0) }, try order.model.primaryKey(of: row))
    }
}
