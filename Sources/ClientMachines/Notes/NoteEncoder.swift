internal import TidelogSchema

/// Writes the values of notes (FORMATS, section 10).
package struct NoteEncoder {
    /// The bytes that were written so far.
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Begins a note whose layout has the number `format`.
    init(format: UInt8) {
        // Most notes are not larger.
        reserve(96)
        bytes.append(format)
    }

    /// Makes room for `count` bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ number: UInt8) { bytes.append(number) }

    mutating func append(_ number: UInt32) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ number: Int64) { append(UInt64(bitPattern: number)) }

    mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func append(_ sequence: SequenceNumber) { append(sequence.value) }

    mutating func append(_ text: String) {
        append(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ number: UInt64?) { appendOptional(number) { $0.append($1) } }

    mutating func append(_ text: String?) { appendOptional(text) { $0.append($1) } }

    /// Appends whether there is a value, and the value.
    mutating func appendOptional<Value>(_ value: Value?, _ body: (inout NoteEncoder, Value) -> Void) {
        append(value != nil)
        if let value { body(&self, value) }
    }
}

// MARK: - Records

extension NoteEncoder {
    mutating func append(_ reference: RecordReference) { append(reference.model, reference.id) }

    /// Appends a reference to the record of a model.
    mutating func append(_ model: String, _ id: RecordID) {
        append(model)
        append(UInt32(id.components.count))
        for component in id.components { append(component) }
    }

    mutating func append(_ record: ServerRecord) {
        append(record.reference)
        append(record.version)
        append(record.lastChangedAt)
        appendOptional(record.row) { $0.append(fields: $1.values.mapValues { $0 }) }
    }

    /// Appends the fields in the order of their names.
    mutating func append(fields: [String: FieldValue?]) {
        append(UInt32(fields.count))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            append(name)
            append(value)
        }
    }

    mutating func append(_ value: FieldValue?) {
        switch value {
        case nil: append(0 as UInt8)
        case .string(let text)?:
            append(1 as UInt8)
            append(text)
        case .int(let number)?:
            append(2 as UInt8)
            append(number)
        case .double(let number)?:
            append(3 as UInt8)
            append(number.bitPattern)
        case .bool(let flag)?: append(flag ? 5 : 4 as UInt8)
        case .date(let date)?:
            append(6 as UInt8)
            append(date.text)
        case .time(let time)?:
            append(7 as UInt8)
            append(time.text)
        case .dateTime(let dateTime)?:
            append(8 as UInt8)
            append(dateTime.text)
        case .embedded(let values)?:
            append(9 as UInt8)
            append(fields: values.mapValues { $0 })
        case .list(let elements)?:
            append(10 as UInt8)
            append(UInt32(elements.count))
            for element in elements { append(element) }
        }
    }
}
