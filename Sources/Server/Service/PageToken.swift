internal import TidelogCore

/// A page token: the contents of `nextToken`, from which a list continues. The token is sealed, so that only this server can
/// make one.
struct PageToken: Sendable, Hashable {
    /// The first byte of every token. Tokens of servers that wrote JSON begin with `[`, so they are not read.
    private static let format: UInt8 = 1
    /// The bits of the second byte.
    private static let (startBit, deltaBit): (UInt8, UInt8) = (1, 2)

    /// The place where the previous page ended.
    var place: PagePlace
    /// The hash of the order in which the place was reached.
    var order: UInt64
    /// The time when the first page of a sync query was requested, and whether the sync query is a delta query.
    var startedAt: Int64?
    var isDelta = false

    init(place: PagePlace, in sort: Sort, startedAt: Int64? = nil, isDelta: Bool = false) {
        self.place = place
        self.startedAt = startedAt
        self.isDelta = isDelta
        order = Self.order(sort)
    }

    /// The hash of an order. After a change of the schema, the same request can list its records in another order, in which the
    /// place of an earlier page has no meaning.
    static func order(_ sort: Sort) -> UInt64 {
        sort.keys.map { "\($0.field) \($0.isDescending)\n" }.joined().utf8.stableHash
    }

    /// The token as bytes.
    var bytes: [UInt8] {
        let flags = (startedAt == nil ? 0 : Self.startBit) | (isDelta ? Self.deltaBit : 0)
        var bytes = [Self.format, flags]
        if let startedAt { bytes += Self.bytes(UInt64(bitPattern: startedAt)) }
        return bytes + Self.bytes(order) + place.bytes
    }

    /// Reads a token from bytes; `nil` if they are not a token. The place is not checked.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 2, bytes[0] == Self.format, bytes[1] & ~(Self.startBit | Self.deltaBit) == 0 else {
            return nil
        }
        var rest = bytes[2...]
        var startedAt: Int64?
        if bytes[1] & Self.startBit != 0 {
            guard let number = Self.number(&rest) else { return nil }
            startedAt = Int64(bitPattern: number)
        }
        guard let order = Self.number(&rest) else { return nil }
        self.order = order
        self.startedAt = startedAt
        isDelta = bytes[1] & Self.deltaBit != 0
        place = PagePlace(bytes: Array(rest))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }

    /// Takes a number from the start of `bytes`; `nil` if they are too few.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        defer { bytes.removeFirst(8) }
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
