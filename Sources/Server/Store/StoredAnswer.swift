package import TidelogCore

/// The answer to a change with a name: which record the change was about, and when it was written.
///
/// Each answer is a record of ``ServerModels/answer``. Stores contain answers of earlier servers, so the form of this record
/// stays as it is: the key of the changed record is a list with one text for each field of the key. Answers of the earliest
/// servers have no content.
package struct StoredAnswer {
    package let model: String
    package let subject: String
    /// A digest of the requested values; `nil` if an earlier server stored the answer.
    package let content: String?
    /// The texts of the key values.
    private let key: [String]
    /// The time of the change.
    package let time: Int64

    /// The answer to the change `name` of the record of `model` with `id`.
    init(to name: StoredChange.Name, model: String, id: RecordID, time: Int64) {
        self.init(subject: name.subject, content: name.content, model: model, id: id, time: time)
    }

    /// An answer with these parts.
    package init(subject: String, content: String?, model: String, id: RecordID, time: Int64) {
        (self.subject, self.content, self.model, self.time) = (subject, content, model, time)
        key = id.components.map { RecordID([$0]).description }
    }

    /// Reads the answer in `record`; `nil` if it is not one.
    package init?(_ record: Record) {
        guard case .string(let model)? = record["model"], case .string(let subject)? = record["subject"],
            case .list(let texts)? = record["key"], case .int(let time)? = record["at"]
        else { return nil }
        self.model = model
        self.subject = subject
        self.time = time
        content = if case .string(let text)? = record["content"] { text } else { nil }
        key = texts.compactMap { if case .string(let text)? = $0 { text } else { nil } }
    }

    /// The record that keeps the answer under the name of the change.
    package func record(named name: String) -> Record {
        var values: [String: FieldValue] = [
            "id": .string(name), "model": .string(model), "subject": .string(subject),
            "key": .list(key.map { .string($0) }), "at": .int(time),
        ]
        values["content"] = content.map { .string($0) }
        return Record(model: ServerModels.answer, values: values)
    }

    /// Whether the answered change is the change `name` of a record of `model`.
    func answers(_ name: StoredChange.Name, _ model: String) -> Bool {
        subject.utf8.elementsEqual(name.subject.utf8) && self.model.utf8.elementsEqual(model.utf8)
            && content.map { $0.utf8.elementsEqual(name.content.utf8) } ?? true
    }

    /// The id of the changed record, whose key has `fields`; `nil` if the key does not fit them.
    package func id(_ fields: [FieldSchema]) -> RecordID? {
        guard key.count == fields.count else { return nil }
        let values = zip(key, fields).compactMap { Self.value($0, $1.type) }
        return values.count == fields.count ? RecordID(values) : nil
    }

    /// The key value of `text` in a field of `type`; `nil` if the text is not valid.
    private static func value(_ text: String, _ type: FieldType) -> FieldValue? {
        switch type {
        case .id, .string, .enumeration: .string(text)
        case .int, .timestamp: Int64(text).map { .int($0) }
        case .double: Double(text).map { .double($0) }
        case .bool: Bool(text).map { .bool($0) }
        case .date: (try? Temporal.Date(text)).map { .date($0) }
        case .time: (try? Temporal.Time(text)).map { .time($0) }
        case .dateTime: (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case .list, .embedded: nil
        }
    }
}

extension ModelSchema {
    /// The fields of the primary key.
    var keyFields: [FieldSchema] { primaryKey.compactMap { field(named: $0) } }
}
