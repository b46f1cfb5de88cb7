internal import TidelogCore
internal import TidelogGraphQL

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
        case "items": .list((0..<count).map { .object(RowObject(rows: rows, row: $0)) })
        case "nextToken": nextToken.map { .leaf(.string($0)) } ?? .null
        case "startedAt": startedAt.map { .leaf(.int($0)) } ?? .null
        default: .null
        }
    }
}

/// The rows of a page with what all of them share.
final class ShownRows: Sendable {
    fileprivate let rows: DecodedRows
    fileprivate let reading: PageReading
    /// The position of each field's value in a row, by the number of the field in its type. `nil` for a field with rules of its
    /// own, and for a field that is not stored.
    private let positions: [Int?]

    init(_ rows: DecodedRows, _ reading: PageReading) {
        (self.rows, self.reading) = (rows, reading)
        let type = reading.field.selection()?.first("items")?.selection()?.type
        positions = (type?.fields ?? []).map { field in
            reading.access.hasOwnRules(field.name) ? nil : rows.position(of: field.name)
        }
    }

    /// The position of the value of `field` in a row; `nil` if the value is only found with the record as a whole.
    fileprivate func position(of field: SelectedField) -> Int? { positions[field.declared.number] }
}

/// A row of a page as an object of the response.
///
/// Most values are read by their position in the row. A ``RecordObject`` reads the fields with rules of their own and the
/// relations.
private struct RowObject: ResolvableObject {
    let rows: ShownRows
    let row: Int

    var typeName: String { rows.reading.access.model.name }

    func leaf(_ field: SelectedField) -> ResponseValue? {
        guard let position = rows.position(of: field) else { return object.leaf(field) }
        return rows.rows[row, position]?.response ?? .null
    }

    func resolve(
        _ field: SelectedField, in context: RequestContext
    ) throws(ResolverError) -> ResolvedValue<RequestContext> {
        guard let position = rows.position(of: field) else { return try object.resolve(field, in: context) }
        return rows.rows[row, position]?.resolved(in: RequestContext.self) ?? .null
    }

    private var object: RecordObject { rows.reading.object(rows.rows.record(at: row)) }
}
