/// Reads keys (FORMATS, section 5) and returns their values.
struct KeyDecoder {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// A number of seconds that no text of a temporal reaches. Calculations with fewer seconds do not overflow.
    private static let endOfTime: UInt64 = 1 << 60

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The number of bytes that were read.
    var byteCount: Int { position }

    private mutating func byte() throws(RowDamage) -> UInt8 {
        guard position < bytes.count else { throw RowDamage("a key is cut") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func bigEndian(_ byteCount: Int) throws(RowDamage) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<byteCount { value = value << 8 | UInt64(try byte()) }
        return value
    }

    /// Reads one component.
    ///
    /// For an instant, the result has a text that names the same instant. The text is in UTC if the type allows that, and has
    /// the lowest precision that represents the instant.
    mutating func component(of type: FieldType) throws(RowDamage) -> FieldValue? {
        switch try byte() {
        case KeyEncoder.Tag.missing: return nil
        case KeyEncoder.Tag.lowerUUID: return .string(try uuid(isUpper: false))
        case KeyEncoder.Tag.upperUUID: return .string(try uuid(isUpper: true))
        case KeyEncoder.Tag.text: return .string(try text())
        case KeyEncoder.Tag.int: return .int(Int64(bitPattern: try bigEndian(8) ^ (1 << 63)))
        case KeyEncoder.Tag.double:
            let bits = try bigEndian(8)
            return .double(Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits))
        case KeyEncoder.Tag.no: return .bool(false)
        case KeyEncoder.Tag.yes: return .bool(true)
        case KeyEncoder.Tag.instant:
            let seconds = Int64(bitPattern: try bigEndian(8) ^ (1 << 63))
            let nanoseconds = try bigEndian(4)
            guard nanoseconds < 1_000_000_000 else { throw RowDamage("nanoseconds out of range") }
            guard seconds.magnitude < Self.endOfTime else { throw RowDamage("an instant out of range") }
            let instant = Temporal.Instant(seconds: seconds, nanoseconds: Int32(nanoseconds))
            return try FieldValue(instant, type: type)
        default: throw RowDamage("a key has an unknown tag")
        }
    }

    private mutating func text() throws(RowDamage) -> String {
        var start: [UInt8] = []
        while let end = bytes[position...].firstIndex(of: 0) {
            let part = bytes[position..<end]
            // A zero byte of the text is followed by 0xFF. Any other zero byte ends the text.
            guard end + 1 < bytes.count, bytes[end + 1] == 0xFF else {
                position = end + 1
                let text =
                    start.isEmpty
                    ? String(validating: part, as: UTF8.self) : String(validating: start + part, as: UTF8.self)
                guard let text else { throw RowDamage("a text is not UTF-8") }
                return text
            }
            position = end + 2
            start += part
            start.append(0)
        }
        throw RowDamage("a key is cut")
    }

    private mutating func uuid(isUpper: Bool) throws(RowDamage) -> String {
        let high = try bigEndian(8)
        return String(uuid: high, try bigEndian(8), isUpper: isUpper)
    }
}

extension FieldValue {
    /// A value of the temporal `type` whose text names `instant`.
    fileprivate init(_ instant: Temporal.Instant, type: FieldType) throws(RowDamage) {
        let day: Int64 = 86_400
        let secondOfDay = instant.seconds - instant.seconds.flooredQuotient(by: day) * day
        switch type {
        case .date:
            // A date begins at midnight. If the instant is not midnight in UTC, the text names a zone in which it is midnight.
            let offset = secondOfDay <= day / 2 ? -secondOfDay : day - secondOfDay
            let midnight = Temporal.Instant(seconds: instant.seconds &+ offset)
            let text: String = TemporalPrinter.date(midnight).dropLast() + TemporalPrinter.offset(offset)
            self = .date(Temporal.Date(uncheckedText: text, instant: instant))
        case .time:
            // In UTC, a time of another zone may lie on the day before or after. The text then names a zone in which it does
            // not.
            let hour = secondOfDay / 3_600
            let offset = instant.seconds == secondOfDay ? 0 : (instant.seconds < 0 ? 24 - hour : -1 - hour) * 3_600
            let local = Temporal.Instant(seconds: instant.seconds &+ offset, nanoseconds: instant.nanoseconds)
            let text: String = TemporalPrinter.time(local).dropLast() + TemporalPrinter.offset(offset)
            self = .time(Temporal.Time(uncheckedText: text, instant: instant))
        case .dateTime:
            self = .dateTime(Temporal.DateTime(uncheckedText: TemporalPrinter.dateTime(instant), instant: instant))
        default: throw RowDamage("a key has an instant where its field has none")
        }
    }
}

extension ModelLayout {
    /// Whether a key field is a temporal. Keys contain only its instant, while rows also contain its text.
    var hasTemporalKey: Bool {
        keyFields.contains { field in
            switch field.kind {
            case .date, .time, .dateTime: true
            default: false
            }
        }
    }

    /// The id that `key` encodes. Its temporals may have different texts than the row, but they name the same instants.
    package func recordID(ofKey key: UnsafeRawBufferPointer) throws(RowDamage) -> RecordID {
        var decoder = KeyDecoder(key)
        var components: [FieldValue] = []
        for field in keyFields {
            guard let value = try decoder.component(of: field.type) else { throw RowDamage("a key field is missing") }
            components.append(value)
        }
        guard decoder.isAtEnd else { throw RowDamage("a key has more than its fields") }
        return RecordID(components)
    }
}
