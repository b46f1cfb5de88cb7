/// A group of IDs that are sorted together in primary keys (FORMATS, section 5).
///
/// The groups are UUIDs in lower case, UUIDs in upper case, and all other texts, in this order. Inside a group, the IDs are
/// sorted by their texts.
///
/// Nearly all tables have IDs of a single group. In such a table, the key order is the order by ID, and a comparison of the ID
/// is a range of keys.
@_spi(Adapters) public enum IDKeyGroup: UInt8, Sendable, CaseIterable {
    /// UUIDs whose digits are all in lower case, and UUIDs without letters.
    case lowercaseUUIDs = 0x10
    /// UUIDs whose digits are all in upper case.
    case uppercaseUUIDs = 0x11
    /// All other texts.
    case otherTexts = 0x12

    /// The group of all keys from `first` to `last`, whose first component is an ID, or `nil` if they are in several groups.
    public init?(ofKeysFrom first: UnsafeRawBufferPointer, to last: UnsafeRawBufferPointer) {
        guard let tag = first.first, tag == last.first else { return nil }
        self.init(rawValue: tag)
    }

    /// The keys of this group whose ID satisfies `comparison`: from `lower` up to, but not including, `upper`.
    ///
    /// The result is `nil` if these keys are not a range.
    public func keys(_ comparison: QueryPredicate.Comparison) -> (lower: [UInt8], upper: [UInt8])? {
        switch comparison {
        case .equal(.string(let text)?): (start(atLeast: text), start(after: text))
        case .notEqual(nil): (start, end)
        case .less(.string(let text)): (start, start(atLeast: text))
        case .lessOrEqual(.string(let text)): (start, start(after: text))
        case .greater(.string(let text)): (start(after: text), end)
        case .greaterOrEqual(.string(let text)): (start(atLeast: text), end)
        case .between(.string(let lower), .string(let upper)): (start(atLeast: lower), start(after: upper))
        case .beginsWith(let prefix): (start(atLeast: prefix), self.end(ofPrefix: Array(prefix.utf8)))
        default: nil
        }
    }

    private var start: [UInt8] { [rawValue] }
    private var end: [UInt8] { [rawValue + 1] }

    /// The first key whose ID is equal to or after `text`.
    private func start(atLeast text: String) -> [UInt8] { start(atLeast: Array(text.utf8)) }

    /// The first key whose ID is after `text`.
    private func start(after text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        let start = start(atLeast: utf8)
        return isID(utf8) ? start + [0xFF] : start
    }

    /// The first key after all IDs that begin with `prefix`. UTF-8 has no byte above F4.
    private func end(ofPrefix prefix: [UInt8]) -> [UInt8] {
        guard let last = prefix.last else { return end }
        return start(atLeast: prefix.dropLast() + [last + 1])
    }

    private func start(atLeast text: [UInt8]) -> [UInt8] {
        if self == .otherTexts { return component(text) }
        var digits: [UInt8] = []
        for place in 0..<UUIDDigits.textByteCount {
            // Every ID that continues beyond the text sorts after the text.
            guard place < text.count else { return key(digits) }
            if UUIDDigits.isDash(place) {
                if text[place] == UUIDDigits.dash { continue }
                return text[place] < UUIDDigits.dash ? key(digits) : key(after: digits)
            }
            let candidates = UUIDDigits.texts(isUpper: self == .uppercaseUUIDs)
            guard let digit = candidates.firstIndex(where: { $0 >= text[place] }) else { return key(after: digits) }
            digits.append(UInt8(digit))
            if candidates[digit] > text[place] { return key(digits) }
        }
        return text.count > UUIDDigits.textByteCount ? key(after: digits) : key(digits)
    }

    /// The key of the first UUID that begins with `digits`.
    private func key(_ digits: [UInt8]) -> [UInt8] {
        let padded = digits + Array(repeating: 0, count: 32 - digits.count)
        return [rawValue] + stride(from: 0, to: 32, by: 2).map { padded[$0] << 4 | padded[$0 + 1] }
    }

    /// The key of the first UUID after all UUIDs that begin with `digits`.
    private func key(after digits: [UInt8]) -> [UInt8] {
        var digits = digits
        while let last = digits.popLast() {
            if last < 15 { return key(digits + [last + 1]) }
        }
        return end
    }

    /// Whether `text` is an ID of this group, so that ``start(atLeast:)`` is exactly its own component.
    private func isID(_ text: [UInt8]) -> Bool {
        self == .otherTexts || encoded(text) { $0.append(id: $1) }.first == rawValue
    }

    private func component(_ text: [UInt8]) -> [UInt8] { encoded(text) { $0.append(text: $1) } }

    private func encoded(_ text: [UInt8], _ body: (inout KeyEncoder, UnsafeRawBufferPointer) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 17 + 2 * text.count, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            text.withUnsafeBytes { body(&encoder, $0) }
            return Array(encoder.bytes)
        }
    }
}

/// The characters of a UUID's text.
private enum UUIDDigits {
    static let textByteCount = 36
    static let dash = UInt8(ascii: "-")

    static func isDash(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

    static func texts(isUpper: Bool) -> [UInt8] { Array((isUpper ? "0123456789ABCDEF" : "0123456789abcdef").utf8) }
}

extension QueryPredicate {
    /// Whether the field called `name` is compared other than by equality, in the parts of the predicate that a planner uses.
    func comparesInOrder(_ name: String) -> Bool {
        switch self {
        case .field(name, .equal): false
        case .field(let other, _): other == name
        case .and(let members), .or(let members): members.contains { $0.comparesInOrder(name) }
        case .all, .not, .related: false
        }
    }
}
