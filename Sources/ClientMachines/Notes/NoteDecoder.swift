internal import TidelogSchema

/// Reads the values of notes (FORMATS, section 10). Every read is checked against the end of the bytes.
package struct NoteDecoder {
    /// The error for bytes that are not a note of the expected layout.
    package struct Damage: Error {}

    private let bytes: [UInt8]
    private var place = 0
    /// The number of the note's layout.
    private(set) var format: UInt8 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether every byte was read.
    var isAtEnd: Bool { place == bytes.count }

    /// Reads the number of the layout, which is the first byte of a note.
    mutating func beginNote() throws(Damage) { format = try byte() }

    mutating func byte() throws(Damage) -> UInt8 {
        guard place < bytes.count else { throw Damage() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func count() throws(Damage) -> Int {
        var number: UInt32 = 0
        for shift in 0..<4 { number |= UInt32(try byte()) << (8 * UInt32(shift)) }
        // Every counted element has at least one byte. A larger count is therefore damage, and no memory is allocated for it.
        guard number <= bytes.count - place else { throw Damage() }
        return Int(number)
    }

    mutating func number32() throws(Damage) -> UInt32 {
        var number: UInt32 = 0
        for shift in 0..<4 { number |= UInt32(try byte()) << (8 * UInt32(shift)) }
        return number
    }

    mutating func number() throws(Damage) -> UInt64 {
        var number: UInt64 = 0
        for shift in 0..<8 { number |= UInt64(try byte()) << (8 * UInt64(shift)) }
        return number
    }

    mutating func signedNumber() throws(Damage) -> Int64 { Int64(bitPattern: try number()) }

    mutating func flag() throws(Damage) -> Bool {
        switch try byte() {
        case 0: return false
        case 1: return true
        default: throw Damage()
        }
    }

    mutating func sequence() throws(Damage) -> SequenceNumber { SequenceNumber(try number()) }

    mutating func text() throws(Damage) -> String {
        let count = try count()
        guard let text = String(validating: bytes[place..<place + count], as: UTF8.self) else { throw Damage() }
        place += count
        return text
    }

    mutating func optional<Value>(
        _ body: (inout NoteDecoder) throws(Damage) -> Value
    ) throws(Damage) -> Value? { try flag() ? try body(&self) : nil }

    mutating func optionalNumber() throws(Damage) -> UInt64? {
        try optional { (decoder) throws(Damage) in try decoder.number() }
    }

    mutating func optionalText() throws(Damage) -> String? {
        try optional { (decoder) throws(Damage) in try decoder.text() }
    }
}

// MARK: - Records

extension NoteDecoder {
    mutating func reference() throws(Damage) -> RecordReference {
        let model = try text()
        var components: [FieldValue] = []
        for _ in 0..<(try count()) {
            guard let component = try value(depth: 0) else { throw Damage() }
            components.append(component)
        }
        return RecordReference(model: model, id: RecordID(components))
    }

    mutating func serverRecord() throws(Damage) -> ServerRecord {
        let reference = try reference()
        let (version, lastChangedAt) = (try number(), try signedNumber())
        let values = try optional { (decoder) throws(Damage) in try decoder.fields(depth: 0) }
        let row = values.map { Record(model: reference.model, values: $0.compactMapValues { $0 }) }
        return ServerRecord(reference, row: row, version: version, lastChangedAt: lastChangedAt)
    }

    mutating func fields(depth: Int = 0) throws(Damage) -> [String: FieldValue?] {
        var fields: [String: FieldValue?] = [:]
        for _ in 0..<(try count()) {
            let name = try text()
            guard fields.updateValue(try value(depth: depth), forKey: name) == nil else { throw Damage() }
        }
        return fields
    }

    private mutating func value(depth: Int) throws(Damage) -> FieldValue? {
        guard depth <= Limits.nestingDepth else { throw Damage() }
        switch try byte() {
        case 0: return nil
        case 1: return .string(try text())
        case 2: return .int(try signedNumber())
        case 3:
            let number = Double(bitPattern: try number())
            guard number.isFinite else { throw Damage() }
            return .double(number)
        case 4: return .bool(false)
        case 5: return .bool(true)
        case 6:
            guard let date = try? Temporal.Date(try text()) else { throw Damage() }
            return .date(date)
        case 7:
            guard let time = try? Temporal.Time(try text()) else { throw Damage() }
            return .time(time)
        case 8:
            guard let dateTime = try? Temporal.DateTime(try text()) else { throw Damage() }
            return .dateTime(dateTime)
        case 9: return .embedded(try fields(depth: depth + 1).compactMapValues { $0 })
        case 10:
            var elements: [FieldValue?] = []
            for _ in 0..<(try count()) { elements.append(try value(depth: depth + 1)) }
            return .list(elements)
        default: throw Damage()
        }
    }
}
