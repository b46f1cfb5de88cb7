internal import TidelogCore
internal import TidelogGraphQL

/// Tells how many bytes a record takes in a response, before the response is made: the fields that are selected of it, as
/// often as they are. What relations lead to is measured where it is read.
struct ResponseMeasure {
    private let fields: [Field]

    private struct Field {
        let name: String
        /// The bytes of its name in the response, with what stands around a member.
        let byteCount: Int
        /// What is selected of an embedded value.
        let part: ResponseMeasure?
    }

    /// - Parameters:
    ///   - selections: The fields that select something of the record.
    ///   - model: The record's model.
    init(_ selections: [SelectedField], of model: ModelAPI) { self.init(selections) { model.relations[$0] == nil } }

    /// The measure of the records of `model` on a page, which `field` gives.
    init(pageOf field: SelectedField, _ model: ModelAPI) {
        self.init(field.selection()?.fields.filter { $0.name == "items" } ?? [], of: model)
    }

    private init(_ selections: [SelectedField], measuring isMeasured: (String) -> Bool) {
        var fields: [Field] = []
        for selection in selections {
            for field in selection.selection()?.fields ?? [] {
                let part = isMeasured(field.name) ? ResponseMeasure([field]) { _ in true } : nil
                fields.append(Field(name: field.name, byteCount: field.responseName.utf8.count + 4, part: part))
            }
        }
        self.fields = fields
    }

    /// The bytes that `record` takes.
    func byteCount(_ record: Record) -> Int {
        fields.reduce(2) { $0 + $1.byteCount + byteCount(record[$1.name], $1) }
    }

    private func byteCount(_ value: FieldValue?, _ field: Field) -> Int {
        switch value {
        case nil: Self.otherByteCount
        case .string(let text)?: Self.byteCount(text)
        case .list(let elements)?: elements.reduce(2) { $0 + 1 + byteCount($1, field) }
        case .embedded(let values)?:
            (field.part?.fields ?? []).reduce(2) { $0 + $1.byteCount + byteCount(values[$1.name], $1) }
        case .date, .time, .dateTime, .int, .double, .bool: Self.otherByteCount
        }
    }

    /// At least the bytes of a number, of a time, or of the name of a type.
    private static let otherByteCount = 40
    /// A text of at most this many bytes is not searched for bytes that take more room in JSON.
    private static let shortByteCount = 256

    /// The bytes of a text in JSON; of a short one, if all of its bytes stay as they are.
    private static func byteCount(_ text: String) -> Int {
        guard text.utf8.count > shortByteCount else { return text.utf8.count + 2 }
        return text.utf8.reduce(2) { count, byte in
            count + (byte < 0x20 ? 6 : byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 2 : 1)
        }
    }
}
