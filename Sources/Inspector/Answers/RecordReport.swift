@_spi(Adapters) internal import TidelogCore
@_spi(Adapters) internal import TidelogRecordText

/// A record with all its values, the server's last statement about it, and its history.
struct RecordReport: Encodable, Sendable {
    let model: String
    let key: [String]
    /// Its values in the order of the schema; absent if the record does not exist now.
    let fields: [Field]?
    let server: Server?
    /// The events of the record, the oldest first.
    let history: [EventReport]
    /// Whether the history begins with the record's first event.
    let isComplete: Bool

    /// A field with its value.
    struct Field: Encodable, Sendable {
        let name: String
        let type: String
        let isKey: Bool
        /// The value; null if there is none.
        let value: String?
    }

    /// The server's last statement about the record.
    struct Server: Encodable, Sendable {
        let version: UInt64?
        /// In milliseconds since 1970, by the server's clock.
        let lastChangedAt: Int64
        let isDeleted: Bool
    }

    /// The most events of a history, and the most characters of a value.
    private static let eventLimit = 200
    private static let valueLength = 100_000

    static func make(model name: String, key: [String], of store: InspectedStore) async throws -> RecordReport {
        let (fields, server, id) = try await store.read { snapshot in
            let model = try snapshot.layout.required(name)
            let id = try model.recordID(fromTexts: key)
            let record = try snapshot.record(name, id: id)
            let fields = record.map { record in
                ModelReport.Field.all(of: model).map { field in
                    let value = record[field.name]?.text.withEscapedControlsOfLines
                    return Field(
                        name: field.name, type: field.type, isKey: field.isKey,
                        value: value?.shortened(to: valueLength))
                }
            }
            return (fields, try snapshot.serverState(name, id: id), id)
        }
        let (history, events) = try await store.whileOpen { open in
            let history = try await open.history(of: name, id: id, limit: eventLimit)
            return (history, try EventReport.all(history.events, in: open, valueLength: 2_000))
        }
        guard fields != nil || !events.isEmpty else {
            throw ErrorReport(404, "notFound", "There is no \(name) with the key \(id.text).")
        }
        return RecordReport(
            model: name, key: key, fields: fields,
            server: server.map {
                Server(version: $0.version, lastChangedAt: $0.lastChangedAt, isDeleted: $0.isDeleted)
            }, history: events, isComplete: history.isComplete)
    }
}
