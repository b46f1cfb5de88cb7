@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogSQLTranslation

extension RecordTable {
    /// The columns of a row that is written, with the expressions of their values.
    ///
    /// All lists and embedded values are members of one JSON object, which is the last parameter.
    ///
    /// - Parameters:
    ///   - first: The number of the first parameter.
    ///   - prefix: The text before the number of a parameter.
    func assignments(first: Int, prefix: String = "$") -> [(column: Column, name: String, value: String)] {
        var next = first
        func parameter() -> String {
            defer { next += 1 }
            return "\(prefix)\(next)"
        }
        var assignments: [(column: Column, name: String, value: String)] = []
        for column in columns where column.storage != .json {
            assignments.append((column, column.name, parameter()))
            if let instant = column.instant { assignments.append((column, instant, parameter())) }
        }
        for column in columns where column.storage == .json {
            // The name of a field has no quotation mark.
            assignments.append((column, column.name, "\(prefix)\(next) -> '\(column.field.name)'"))
        }
        return assignments
    }

    /// The values of the parameters of ``assignments(first:prefix:)``.
    func parameters(of row: RowView) throws -> [SQLParameter] {
        var parameters: [SQLParameter] = []
        for column in columns where column.storage != .json {
            let slot = column.field.slot
            switch column.storage {
            case .text: parameters.append(try row.value(slot).map { .text($0) } ?? SQLParameter.text("").missing)
            case .int: parameters.append(try row.int(slot).map { .int($0) } ?? SQLParameter.int(0).missing)
            case .double: parameters.append(try row.double(slot).map { .double($0) } ?? SQLParameter.double(0).missing)
            case .bool: parameters.append(try row.bool(slot).map { .bool($0) } ?? SQLParameter.bool(false).missing)
            case .temporal:
                let value = try row.temporal(slot)
                parameters.append(value.map { .text($0.text) } ?? SQLParameter.text("").missing)
                let instant = try FieldValue(row, field: column.field)?.instant
                parameters.append(instant.map { .bytes($0.comparableBytes) } ?? SQLParameter.bytes([]).missing)
            case .json: break
            }
        }
        let structured = columns.filter { $0.storage == .json }.map(\.field.name)
        guard !structured.isEmpty else { return parameters }
        var writer = JSONWriter()
        try RowJSONWriter(layout: model, fields: structured).write(row, to: &writer)
        return parameters + [.json(writer.bytes)]
    }
}
