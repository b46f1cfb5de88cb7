@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// A statement that creates or updates many records of one table, and writes the changes for subscribers.
struct BulkStatement {
    private let table: RecordTable
    private let isUpdate: Bool
    private var rows: RowArrays
    private var kinds = ParameterArray(of: .text(""))

    init(table: RecordTable, isUpdate: Bool) {
        (self.table, self.isUpdate) = (table, isUpdate)
        rows = RowArrays(of: table)
    }

    /// The number of records.
    var count: Int { rows.count }

    /// Adds a record. All records are created, or all are updated.
    mutating func add(_ write: RecordChange.Write, key: [UInt8]) throws {
        precondition((write.before != nil) == isUpdate, "one statement creates or updates records")
        try rows.append(write.record, key: key)
        kinds.append(.text(write.kind.rawValue))
    }

    /// The statement. Its result has the number of written records and the place of the last change.
    func statement(clock: Int64?) -> SQLStatement {
        let own = table.ownColumns.map { "'\($0)'" }.joined(separator: ", ")
        let model = table.model.name
        return .prepared(
            """
            WITH given AS MATERIALIZED (SELECT * FROM \(rows.given(first: 2, after: ["kind"]))), \
            changed AS (\(isUpdate ? update : insertion)), \
            told AS (INSERT INTO \(DatabaseSchema.own("change"))(model, kind, record) \
            SELECT '\(model)', given.kind, to_jsonb(changed) - ARRAY[\(own)]::text[] FROM changed \
            JOIN given ON given.k = changed.\(DatabaseNames.key) RETURNING sequence) \
            SELECT count(*), max(told.sequence) FROM told
            """,
            [clock.map { .int($0) } ?? SQLParameter.int(0).missing, kinds.parameter] + rows.parameters)
    }

    private var insertion: String {
        let assignments = assignments
        return """
            INSERT INTO \(table.name)(\(([DatabaseNames.key] + assignments.map(\.name)).joined(separator: ", "))) \
            SELECT \((["given.k"] + assignments.map(\.value)).joined(separator: ", ")) FROM given RETURNING *
            """
    }

    private var update: String {
        let setting = assignments.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
        let version = DatabaseNames.quoted(Metadata.version)
        // The name of the version's parameter is known by its assignment.
        let next = assignments.first { $0.name == version }?.value ?? version
        return """
            UPDATE \(table.name) AS stored SET \(setting) FROM given WHERE stored.\(DatabaseNames.key) = given.k \
            AND stored.\(version) = \(next) - 1 RETURNING stored.*
            """
    }

    private var assignments: [(name: String, value: String)] {
        let time = WriteStatement.currentTime(clock: "$1")
        let changedAt = DatabaseNames.quoted(Metadata.lastChangedAt)
        return table.assignments(first: 1, prefix: "given.p").map { column, name, value in
            guard column.field.name == Metadata.lastChangedAt else { return (name, value) }
            return (name, isUpdate ? "greatest(\(time), stored.\(changedAt))" : time)
        }
    }
}
