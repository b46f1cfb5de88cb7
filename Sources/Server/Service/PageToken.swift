internal import TidelogCore
internal import TidelogJSON

/// A page token: the contents of `nextToken`, from which a list continues. The token is sealed, so that only this server can
/// make one.
struct PageToken: Sendable, Hashable {
    /// The place where the previous page ended.
    var place: PagePlace
    /// The time when the first page of a sync query was requested, and whether the sync query is a delta query.
    var startedAt: Int64?
    var isDelta = false

    /// The token as bytes.
    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        startedAt.map { writer.int($0) } ?? writer.null()
        writer.bool(isDelta)
        Self.write(place.id.components, to: &writer)
        Self.write(place.values, to: &writer)
        writer.endArray()
        return writer.bytes
    }

    /// Reads a token from bytes; `nil` if they are not a token.
    init?(_ bytes: [UInt8]) {
        guard let token = try? JSONReader.read(bytes, { try Self.read(&$0) }) else { return nil }
        self = token
    }

    init(place: PagePlace, startedAt: Int64? = nil, isDelta: Bool = false) {
        (self.place, self.startedAt, self.isDelta) = (place, startedAt, isDelta)
    }

    private static func write(_ values: [FieldValue?], to writer: inout JSONWriter) {
        writer.beginArray()
        for value in values {
            switch value {
            case .string(let text)?: tagged("s", &writer) { $0.string(text) }
            case .int(let number)?: tagged("i", &writer) { $0.int(number) }
            case .double(let number)?: tagged("f", &writer) { $0.double(number) }
            case .bool(let truth)?: tagged("b", &writer) { $0.bool(truth) }
            case .date(let date)?: tagged("d", &writer) { $0.string(date.text) }
            case .time(let time)?: tagged("t", &writer) { $0.string(time.text) }
            case .dateTime(let dateTime)?: tagged("x", &writer) { $0.string(dateTime.text) }
            case nil: writer.null()
            case .list?, .embedded?: preconditionFailure("pages are in the order of values that have one")
            }
        }
        writer.endArray()
    }

    private static func tagged(_ tag: String, _ writer: inout JSONWriter, _ value: (inout JSONWriter) -> Void) {
        writer.beginArray()
        writer.string(tag)
        value(&writer)
        writer.endArray()
    }

    private static func read(_ reader: inout JSONReader) throws -> PageToken {
        var startedAt: Int64?
        try reader.beginArray()
        try next(&reader)
        if try !reader.readNullIfPresent() { startedAt = try reader.readInt64() }
        try next(&reader)
        let isDelta = try reader.readBool()
        try next(&reader)
        let id = try values(&reader).compactMap { $0 }
        try next(&reader)
        let values = try values(&reader)
        guard try !reader.nextElement() else { throw Malformed() }
        return PageToken(place: PagePlace(values: values, id: RecordID(id)), startedAt: startedAt, isDelta: isDelta)
    }

    private static func values(_ reader: inout JSONReader) throws -> [FieldValue?] {
        var values: [FieldValue?] = []
        try reader.beginArray()
        while try reader.nextElement() {
            if try reader.readNullIfPresent() {
                values.append(nil)
                continue
            }
            try reader.beginArray()
            try next(&reader)
            let tag = try reader.readString()
            try next(&reader)
            values.append(try value(tag, &reader))
            guard try !reader.nextElement() else { throw Malformed() }
        }
        return values
    }

    private static func value(_ tag: String, _ reader: inout JSONReader) throws -> FieldValue {
        switch tag {
        case "s": .string(try reader.readString())
        case "i": .int(try reader.readInt64())
        case "f": .double(try reader.readDouble())
        case "b": .bool(try reader.readBool())
        case "d": .date(try Temporal.Date(try reader.readString()))
        case "t": .time(try Temporal.Time(try reader.readString()))
        case "x": .dateTime(try Temporal.DateTime(try reader.readString()))
        default: throw Malformed()
        }
    }

    private static func next(_ reader: inout JSONReader) throws {
        guard try reader.nextElement() else { throw Malformed() }
    }

    private struct Malformed: Error {}
}
