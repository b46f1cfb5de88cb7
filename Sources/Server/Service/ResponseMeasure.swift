internal import TidelogCore
internal import TidelogGraphQLExecution

/// Measures the size in bytes of a page's records in a response, before the response is made. Each selected field counts as
/// often as it is selected. Related records are measured where they are read.
struct ResponseMeasure {
    /// The bytes that are the same for every record: the names of the fields, and the values whose length does not depend on
    /// the record.
    private let commonByteCount: Int
    /// The selected fields whose length depends on the record, and the positions of their values in a row.
    private let fields: [(field: SelectedField, position: Int)]
    /// Whether `fields` are exactly the text fields of the model, each of them once. The measure then counts all texts of a row
    /// without looking at the fields.
    private let hasEachTextOnce: Bool

    /// Makes the measure for `rows` on a page that `field` returns.
    init(pageOf field: SelectedField, _ rows: DecodedRows) {
        let selected = (field.selection()?.fields ?? []).filter { $0.name == "items" }
            .flatMap { $0.selection()?.fields ?? [] }
        let lengthy = rows.fields.enumerated().filter { $1.type.isLengthy }
        fields = selected.compactMap { selected in
            lengthy.first { $1.name == selected.name }.map { (selected, $0.offset) }
        }
        hasEachTextOnce =
            fields.map(\.position).sorted() == lengthy.map(\.offset) && lengthy.allSatisfy { $1.type.isText }
        commonByteCount =
            selected.reduce(2) { $0 + Self.nameByteCount($1) }
            + (selected.count - (hasEachTextOnce ? 0 : fields.count)) * Self.otherByteCount
    }

    /// The number of bytes of the row at the position `row`.
    func byteCount(ofRow row: Int, in rows: DecodedRows) -> Int {
        var count = commonByteCount
        if hasEachTextOnce {
            // A missing text counts like a value of fixed length.
            for value in rows.values(at: row) {
                if case .string(let text)? = value { count += Self.byteCount(text) - Self.otherByteCount }
            }
        } else {
            for (field, position) in fields { count += Self.byteCount(rows[row, position], field) }
        }
        return count
    }

    /// The number of bytes of `record` as the value of `field`.
    static func byteCount(_ record: Record, of field: SelectedField) -> Int { byteCount(record.values, field) }

    private static func byteCount(_ values: [String: FieldValue], _ field: SelectedField) -> Int {
        var count = 2
        for part in field.selection()?.fields ?? [] {
            count += nameByteCount(part) + byteCount(values[part.name], part)
        }
        return count
    }

    private static func byteCount(_ value: FieldValue?, _ field: SelectedField) -> Int {
        switch value {
        case nil: otherByteCount
        case .string(let text)?: byteCount(text)
        case .list(let elements)?: elements.reduce(2) { $0 + 1 + byteCount($1, field) }
        case .embedded(let values)?: byteCount(values, field)
        case .date, .time, .dateTime, .int, .double, .bool: otherByteCount
        }
    }

    /// The number of bytes of a field's name in the response, including the punctuation around it.
    private static func nameByteCount(_ field: SelectedField) -> Int { field.responseName.utf8.count + 4 }

    /// An upper limit for the bytes of a number, a time, or the name of a type.
    private static let otherByteCount = 40
    /// The size up to which a text is not searched for bytes that JSON must escape.
    private static let shortByteCount = 256

    /// The number of bytes of a text in JSON. For a short text, the number assumes that no byte must be escaped.
    private static func byteCount(_ text: String) -> Int {
        guard text.utf8.count > shortByteCount else { return text.utf8.count + 2 }
        return text.utf8.reduce(2) { count, byte in
            count + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}

extension FieldType {
    /// Whether values of this type can have any length.
    fileprivate var isLengthy: Bool {
        switch self {
        case .id, .string, .enumeration, .embedded, .list: true
        case .int, .double, .bool, .date, .time, .dateTime, .timestamp: false
        }
    }
}
