/// Dates and times. They keep the text that they were made from, and are compared by the instant that the text names.
public enum Temporal {
    /// A point in time. Temporal values are compared by it.
    public struct Instant: Sendable, Hashable, Comparable {
        /// Whole seconds since 1970-01-01T00:00:00Z; for ``Temporal/Time``, since midnight UTC.
        public let seconds: Int64
        /// Nanoseconds after the whole second, 0 … 999,999,999.
        public let nanoseconds: Int32

        /// The instant `nanoseconds` (0 … 999,999,999) after `seconds`.
        public init(seconds: Int64, nanoseconds: Int32 = 0) {
            precondition((0..<1_000_000_000).contains(nanoseconds), "nanoseconds are 0 … 999,999,999")
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }

        /// Whether `left` is earlier than `right`.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.seconds != right.seconds ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
        }
    }

    /// A calendar day with an optional offset: `2026-11-21`, `2026-11-21Z`, `2026-11-21+02:00` (AWSDate).
    ///
    /// Its instant is midnight of that day at its offset, UTC if there is none.
    public struct Date: TemporalText {
        /// The text as it was given.
        public let text: String
        /// The instant that the text names.
        public let instant: Instant

        /// Parses `text`; throws ``TemporalError`` if it is not valid.
        public init(_ text: String) throws(TemporalError) {
            instant = try TemporalParser.parse(text, kind: "date") { (parser) throws(TemporalError) in
                let day = try parser.day()
                return Instant(seconds: day * 86_400 - (try parser.offset() ?? 0))
            }
            self.text = text
        }

        /// A value whose `text` is known to name `instant`.
        public init(uncheckedText text: String, instant: Instant) {
            self.text = text
            self.instant = instant
        }
    }

    /// A time of day with an optional offset: `10:30`, `10:30:00.250`, `10:30:00Z` (AWSTime).
    ///
    /// Its instant counts from midnight UTC.
    public struct Time: TemporalText {
        /// The text as it was given.
        public let text: String
        /// The instant that the text names.
        public let instant: Instant

        /// Parses `text`; throws ``TemporalError`` if it is not valid.
        public init(_ text: String) throws(TemporalError) {
            instant = try TemporalParser.parse(text, kind: "time") { (parser) throws(TemporalError) in
                let clock = try parser.clock()
                return Instant(seconds: clock.seconds - (try parser.offset() ?? 0), nanoseconds: clock.nanoseconds)
            }
            self.text = text
        }

        /// A value whose `text` is known to name `instant`.
        public init(uncheckedText text: String, instant: Instant) {
            self.text = text
            self.instant = instant
        }
    }

    /// A day and time with an optional offset: `2026-11-21T10:30:00.250Z` (AWSDateTime). UTC if there is no offset.
    public struct DateTime: TemporalText {
        /// The text as it was given.
        public let text: String
        /// The instant that the text names.
        public let instant: Instant

        /// Parses `text`; throws ``TemporalError`` if it is not valid.
        public init(_ text: String) throws(TemporalError) {
            instant = try TemporalParser.parse(text, kind: "date and time") { (parser) throws(TemporalError) in
                let day = try parser.day()
                try parser.expect("T")
                let clock = try parser.clock()
                return Instant(
                    seconds: day * 86_400 + clock.seconds - (try parser.offset() ?? 0), nanoseconds: clock.nanoseconds)
            }
            self.text = text
        }

        /// A value whose `text` is known to name `instant`.
        public init(uncheckedText text: String, instant: Instant) {
            self.text = text
            self.instant = instant
        }
    }

    /// Whole seconds since 1970-01-01T00:00:00Z (AWSTimestamp).
    public struct Timestamp: Sendable, Hashable, Comparable {
        /// Seconds since 1970-01-01T00:00:00Z; negative before it.
        public let seconds: Int64

        /// The timestamp `seconds` after 1970-01-01T00:00:00Z.
        public init(seconds: Int64) { self.seconds = seconds }

        /// Whether `left` is earlier than `right`.
        public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }
    }
}

/// An error of parsing: a text is not a valid temporal value of the expected kind.
public struct TemporalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The expected kind: `date`, `time` or `date and time`.
    public let kind: String
    /// The offset of the first unexpected byte in the UTF-8 text, from 0.
    public let offset: Int

    /// A sentence for people. It does not contain the text.
    public var description: String {
        "not a valid ISO 8601 \(kind): unexpected input at offset \(offset)"
    }
}

/// The common interface of the three textual temporal types, which have a text and the instant that it names. Types
/// outside Tidelog must not conform to it.
public protocol TemporalText: Codable, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The text as it was given.
    var text: String { get }
    /// The instant that the text names.
    var instant: Temporal.Instant { get }
    /// Parses `text` (ISO 8601); throws ``TemporalError`` if it is not valid.
    init(_ text: String) throws(TemporalError)
    /// A value whose `text` is known to name `instant`. A store uses it for decoding.
    init(uncheckedText text: String, instant: Temporal.Instant)
    /// The value that `instant` has on clocks which are `secondsFromUTC` ahead of UTC.
    init(_ instant: Temporal.Instant, secondsFromUTC: Int64)
    /// The instant of the value on a certain day. For a time of day, this is 2000-01-01.
    var dayInstant: Temporal.Instant { get }
}

extension TemporalText {
    /// The text as it was given.
    public var description: String { text }
    /// Whether both values name the same instant. The texts may differ.
    public static func == (left: Self, right: Self) -> Bool { left.instant == right.instant }
    /// Whether `left` names an earlier instant.
    public static func < (left: Self, right: Self) -> Bool { left.instant < right.instant }
    /// Feeds the instant into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(instant) }
}

extension TemporalText {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Decodes a text. Throws an error if the text does not name a value of this type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            self = try Self(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }
}

extension Temporal.Timestamp: Codable {
    /// Encodes the number of seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(seconds)
    }

    /// Decodes a number of seconds.
    public init(from decoder: any Decoder) throws {
        self.init(seconds: try decoder.singleValueContainer().decode(Int64.self))
    }
}
