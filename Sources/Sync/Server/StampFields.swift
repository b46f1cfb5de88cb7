internal import TidelogAgreement
@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON

/// The fields of a model from which the stamps of its records are made.
struct StampFields: Sendable {
    private let time: FieldLayout
    private let tag: FieldLayout?
    private let deletion: FieldLayout?

    /// The fields of the model with this layout; `nil` if it has no time.
    init?(_ layout: ModelLayout, _ model: SyncModels.Model) {
        guard model.hasStamp, let time = layout.row.field(named: RecordStamp.timeField) else { return nil }
        self.time = time
        deletion = model.marksDeletions ? layout.row.field(named: RecordStamp.deletionField) : nil
        tag = model.hasTag ? layout.row.field(named: RecordStamp.tagField) : nil
    }

    /// Whether devices write a tag into each record.
    var hasTag: Bool { tag != nil }

    /// Whether the row says that its record is deleted.
    func isDeleted(_ row: RowView) throws(RowDamage) -> Bool {
        guard let deletion else { return false }
        return try row.temporal(deletion.slot) != nil
    }

    /// The condition, as JSON, that a record has this stamp, and that it meets `other`.
    func condition(_ stamp: RecordStamp, and other: [UInt8]?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("and")
        writer.beginArray()
        if let other { other.withUnsafeBytes { writer.rawValue($0) } }
        writer.field(time.name) { $0.field("eq") { $0.string(stamp.updatedAt) } }
        if let tag {
            if let text = stamp.tag {
                writer.field(tag.name) { $0.field("eq") { $0.string(text) } }
            } else {
                // Another client may have written a null.
                writer.beginObject()
                writer.key("or")
                writer.beginArray()
                writer.field(tag.name) { $0.field("attributeExists") { $0.bool(false) } }
                writer.field(tag.name) { $0.field("attributeType") { $0.string("_null") } }
                writer.endArray()
                writer.endObject()
            }
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The argument of a query over an index by time that asks for the records with this time or a later one, in milliseconds
    /// since 1970-01-01T00:00:00Z.
    func argument(since milliseconds: Int64) -> OperationArgument {
        var writer = JSONWriter()
        writer.field("ge") { $0.string(TemporalPrinter.dateTime(milliseconds: milliseconds)) }
        return OperationArgument(time.name, TypeNames.keyCondition(of: time.schema.apiName), json: writer.bytes)
    }

    /// The selection of the fields.
    var selection: [String] { [time.name] + (tag.map { [$0.name] } ?? []) }

    /// The stamp of a row; `nil` if the row has no time.
    func stamp(of row: RowView) throws(RowDamage) -> RecordStamp? {
        let tag = try tag.flatMap { (field) throws(RowDamage) in try row.string(field.slot) }
        if time.kind == .dateTime {
            return try row.temporal(time.slot).map { time in
                RecordStamp(Temporal.DateTime(uncheckedText: time.text, instant: time.instant), tag: tag)
            }
        }
        return try row.string(time.slot).flatMap { try? Temporal.DateTime($0) }.map { RecordStamp($0, tag: tag) }
    }

    /// The stamp in a JSON object that may lack the other fields of the model; `nil` if it has no time.
    func stamp(in json: UnsafeRawBufferPointer) throws -> RecordStamp? {
        var reader = JSONReader(json)
        var (text, tagText) = (String?.none, String?.none)
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            switch (key, try reader.peekKind()) {
            case (time.name, .string): text = try reader.readString()
            case (tag?.name, .string): tagText = try reader.readString()
            default: try reader.skipValue()
            }
        }
        return try text.map { RecordStamp(try Temporal.DateTime($0), tag: tagText) }
    }
}

extension JSONWriter {
    /// Writes an object with one member.
    fileprivate mutating func field(_ name: String, _ value: (inout JSONWriter) -> Void) {
        beginObject()
        key(name)
        value(&self)
        endObject()
    }
}
