@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// The answers to named changes of a database, as records of ``ServerModels/answer``.
///
/// An answer of the earliest servers has no digest of the requested values. In a database its digest is empty.
struct AnswerTable: Sendable {
    static let name = DatabaseSchema.own("answer")
    private static let selection = "SELECT name, model, subject, content, key, at FROM \(name)"

    private let tables: [String: RecordTable]

    /// - Parameter tables: The tables of the models, by name.
    init(_ tables: [String: RecordTable]) { self.tables = tables }

    func page(_ connection: Connection, after place: PagePlace?, limit: Int) throws -> ServedPage {
        let found = try connection.run(
            .prepared(
                "\(Self.selection) WHERE name > $1 ORDER BY name LIMIT $2",
                [.text(place?.bytes ?? []), .int(Int64(limit))]))
        let records = try (0..<found.count).compactMap { try record(found, $0) }
        guard found.count == limit, let last = found.bytes(found.count - 1, 0) else {
            return ServedPage(records, next: nil)
        }
        return ServedPage(records, next: PagePlace(bytes: Array(last)))
    }

    func stored(_ connection: Connection, as records: [Record]) throws -> [Record?] {
        var names = ParameterArray(of: .text(""))
        for record in records { names.append(.text(record.name)) }
        let found = try connection.run(.prepared("\(Self.selection) WHERE name = ANY($1)", [names.parameter]))
        var stored: [[UInt8]: Record] = [:]
        for row in 0..<found.count {
            guard let record = try record(found, row) else { continue }
            stored[Array(record.name.utf8)] = record
        }
        return records.map { stored[Array($0.name.utf8)] }
    }

    /// The answer in a row; `nil` if its model is not served.
    private func record(_ found: SQLResult, _ row: Int) throws -> Record? {
        guard let name = found.text(row, 0), let model = found.text(row, 1), let table = tables[model],
            let subject = found.text(row, 2), let content = found.text(row, 3), let key = found.bytes(row, 4),
            let time = try found.int(row, 5)
        else { return nil }
        let answer = StoredAnswer(
            subject: subject, content: content.isEmpty ? nil : content, model: model,
            id: try table.model.recordID(ofKey: key), time: time)
        return answer.record(named: name)
    }

    /// Saves answers. Answers of models that are not served are left out.
    func write(_ connection: Connection, _ records: [Record]) throws {
        var texts = (0..<4).map { _ in ParameterArray(of: .text("")) }
        var keys = ParameterArray(of: .bytes([]))
        var times = ParameterArray(of: .int(0))
        for record in records {
            guard let answer = StoredAnswer(record), let table = tables[answer.model],
                let id = answer.id(table.model.schema.primaryKey.compactMap { table.model.schema.field(named: $0) })
            else { continue }
            let values = [record.name, answer.model, answer.subject, answer.content ?? ""]
            for (index, value) in values.enumerated() { texts[index].append(.text(value)) }
            keys.append(.bytes(table.key(of: id)))
            times.append(.int(answer.time))
        }
        _ = try connection.run(
            .prepared(
                """
                INSERT INTO \(Self.name)(name, model, subject, content, key, at) \
                SELECT * FROM unnest($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO UPDATE SET model = excluded.model, \
                subject = excluded.subject, content = excluded.content, key = excluded.key, at = excluded.at
                """, texts.map(\.parameter) + [keys.parameter, times.parameter]))
    }
}

extension Record {
    /// The name of the change that an answer is about.
    fileprivate var name: String { if case .string(let name)? = self["id"] { name } else { "" } }
}
