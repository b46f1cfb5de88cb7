internal import TidelogCore
internal import TidelogGraphQLExecution

/// A page of records, with `items`, `nextToken` and `startedAt`.
struct ConnectionObject: ResolvableObject {
    let rows: ShownRows
    /// The number of rows on the page, from the first on.
    let count: Int
    let nextToken: String?
    let startedAt: Int64?

    var typeName: String { "" }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        switch field.name {
        case "items": .list((0..<count).map { .object(rows.object(at: $0)) })
        case "nextToken": nextToken.map { .leaf(.string($0)) } ?? .null
        case "startedAt": startedAt.map { .leaf(.int($0)) } ?? .null
        default: .null
        }
    }

    /// The rows of a page with what all of them share.
    final class ShownRows: Sendable {
        fileprivate let rows: DecodedRows
        fileprivate let reading: PageReading
        /// The position of each field's value in a row, by the number of the field in its type. `nil` for a field that is not
        /// stored, and for a field whose own rules do not let the caller read it in every record.
        private let positions: [Int?]
        /// Whether several selected fields have no position. Making a record for each row then costs less than for each field.
        private let needsRecords: Bool

        init(_ rows: DecodedRows, _ reading: PageReading) {
            (self.rows, self.reading) = (rows, reading)
            let selection = reading.field.selection()?.first("items")?.selection()
            let position = { (name: String) in reading.mayReadInEveryRecord(name) ? rows.position(of: name) : nil }
            positions = (selection?.type.fields ?? []).map { position($0.name) }
            let names = (selection?.fields ?? []).map(\.name).filter { $0 != "__typename" }
            needsRecords = names.count { position($0) == nil } > 1
        }

        /// The object of the response for the row at the position `row`.
        fileprivate func object(at row: Int) -> any ResolvableObject<RequestContext> {
            needsRecords ? record(at: row) : RowObject(rows: self, row: row)
        }

        /// The row as a record, which resolves every field.
        fileprivate func record(at row: Int) -> RecordObject { reading.object(rows.record(at: row)) }

        /// The position of the value of `field` in a row; `nil` if the value is only found with the record as a whole.
        fileprivate func position(of field: SelectedField) -> Int? { positions[field.declared.number] }
    }
}

/// A row of a page as an object of the response.
///
/// Most values are read by their position in the row. A ``RecordObject`` resolves relations, and the fields whose own rules
/// depend on the record.
private struct RowObject: ResolvableObject {
    let rows: ConnectionObject.ShownRows
    let row: Int

    var typeName: String { rows.reading.access.model.name }

    func leaf(_ field: SelectedField) -> ResponseValue? {
        rows.position(of: field).map { rows.rows[row, $0]?.response ?? .null }
    }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        if let position = rows.position(of: field) {
            return rows.rows[row, position]?.resolved(in: RequestContext.self) ?? .null
        }
        return try rows.record(at: row).resolve(field, in: context)
    }
}
