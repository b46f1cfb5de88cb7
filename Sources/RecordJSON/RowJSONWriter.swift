@_spi(Adapters) public import TidelogCore
public import TidelogJSON

/// Writes rows of one model as JSON objects. The fields are in the order of the schema, and missing fields are left out.
///
/// Equal rows always give equal bytes. ``RowJSONReader`` reads the same row from these bytes, except that a missing field gets
/// its default if the schema has one.
@_spi(Adapters) public struct RowJSONWriter: Sendable {
    /// The model of the rows.
    public let layout: ModelLayout
    private let shapes: [ObjectShape]

    /// Makes a writer for rows of `layout`.
    public init(layout: ModelLayout) {
        self.layout = layout
        shapes = ObjectShape.shapes(of: layout)
    }

    /// Makes a writer that writes only the fields `names`, in their order.
    ///
    /// - Precondition: Each name is the name of a field of `layout`.
    public init(layout: ModelLayout, fields names: [String]) {
        self.layout = layout
        var shapes = ObjectShape.shapes(of: layout)
        shapes[0] = shapes[0].choosing(names)
        self.shapes = shapes
    }

    /// Writes `row` as one JSON value.
    ///
    /// - Parameters:
    ///   - row: A row of the model.
    ///   - metadata: The last server state of the record, written as `_version`, `_lastChangedAt` and `_deleted`. If `nil`,
    ///     these members are left out.
    ///   - writer: The writer to which the value is written.
    /// - Throws: ``RowDamage`` if the row is damaged. The text that was written so far is then unusable.
    public func write(_ row: RowView, metadata: ServerState? = nil, to writer: inout JSONWriter) throws(RowDamage) {
        writer.beginObject()
        try writeFields(of: row, shapes[0], depth: 0, to: &writer)
        if let metadata {
            if let version = metadata.version {
                writer.key("_version")
                writer.int(Int64(clamping: version))
            }
            writer.key("_lastChangedAt")
            writer.int(metadata.lastChangedAt)
            writer.key("_deleted")
            writer.bool(metadata.isDeleted)
        }
        writer.endObject()
    }

    private func writeFields(
        of row: RowView, _ shape: ObjectShape, depth: Int, to writer: inout JSONWriter
    ) throws(RowDamage) {
        for field in shape.fields {
            let slot = field.layout.slot
            guard row.isPresent(slot) else { continue }
            field.key.withUnsafeBytes { writer.key(utf8: $0) }
            switch field.type {
            case .id, .string, .enumeration: if let value = try row.string(slot) { writer.string(value) }
            case .int, .timestamp: if let value = try row.int(slot) { writer.int(value) }
            case .double: if let value = try row.double(slot) { writer.double(value) }
            case .bool: if let value = try row.bool(slot) { writer.bool(value) }
            case .date, .time, .dateTime: if let value = try row.temporal(slot) { writer.string(value.text) }
            case .embedded:
                if let bytes = try row.value(slot) { try writeEmbedded(bytes, field, depth: depth, to: &writer) }
            case .list(let element, _):
                if let bytes = try row.value(slot) {
                    try writeList(bytes, of: element, field, depth: depth, to: &writer)
                }
            }
        }
    }

    private func writeEmbedded(
        _ bytes: UnsafeRawBufferPointer, _ field: ObjectShape.Field, depth: Int, to writer: inout JSONWriter
    ) throws(RowDamage) {
        try checkDepth(depth)
        guard let index = field.embedded else { preconditionFailure("an embedded field has a layout") }
        writer.beginObject()
        try writeFields(of: RowView(bytes), shapes[index], depth: depth + 1, to: &writer)
        writer.endObject()
    }

    private func writeList(
        _ bytes: UnsafeRawBufferPointer, of element: FieldType, _ field: ObjectShape.Field, depth: Int,
        to writer: inout JSONWriter
    ) throws(RowDamage) {
        try checkDepth(depth)
        var list = try ListDecoder(bytes)
        writer.beginArray()
        for _ in 0..<list.count {
            switch element {
            case .id, .string, .enumeration: writer.text(try list.next(String.self))
            case .int, .timestamp:
                if let value = try list.next(Int.self) { writer.int(Int64(value)) } else { writer.null() }
            case .double: if let value = try list.next(Double.self) { writer.double(value) } else { writer.null() }
            case .bool: if let value = try list.next(Bool.self) { writer.bool(value) } else { writer.null() }
            case .date: writer.text(try list.next(Temporal.Date.self)?.text)
            case .time: writer.text(try list.next(Temporal.Time.self)?.text)
            case .dateTime: writer.text(try list.next(Temporal.DateTime.self)?.text)
            case .embedded:
                guard let bytes = try list.nextBytes() else { writer.null(); continue }
                try writeEmbedded(bytes, field, depth: depth + 1, to: &writer)
            case .list(let inner, _):
                guard let bytes = try list.nextBytes() else { writer.null(); continue }
                try writeList(bytes, of: inner, field, depth: depth + 1, to: &writer)
            }
        }
        writer.endArray()
    }

    private func checkDepth(_ depth: Int) throws(RowDamage) {
        guard depth < Limits.nestingDepth else { throw RowDamage("values nest deeper than \(Limits.nestingDepth)") }
    }
}

extension JSONWriter {
    fileprivate mutating func text(_ value: String?) {
        if let value { string(value) } else { null() }
    }
}
