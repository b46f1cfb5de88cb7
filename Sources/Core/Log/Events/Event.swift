/// One immutable fact of the log.
///
/// An event is cheap to copy and to pass on. It holds the encoded bytes, and decodes a value only when the value is read.
public struct Event: Sendable {
    let bytes: [UInt8]
    /// The layout of the record's model in the schema version that the event names.
    let layout: ModelLayout?
    let schemas: SchemaHistory
    /// The kind of the event.
    public let kind: EventKind
    /// The record's id as the last row before the event has it. The readers of the log set it for an event that leaves
    /// no row, because the key alone does not give the exact id.
    var formerID: RecordID?

    init(_ view: EventView, schemas: SchemaHistory) throws {
        bytes = Array(view.bytes)
        kind = view.kind
        self.schemas = schemas
        layout = view.modelNumber == 0 ? nil : try schemas.layout(version: view.schemaVersion, model: view.modelNumber)
    }

    /// Reads a value from the event's bytes. The bytes were checked when the event was read, so that an error can only
    /// mean that the event has no such value.
    func read<Result>(_ body: (EventView) throws -> Result) -> Result? {
        try? bytes.withUnsafeBytes { try body(EventView($0)) }
    }

    func header<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { preconditionFailure("an event has a header") }
            return UnsafeRawPointer(base).load(offset, as: type)
        }
    }

    /// The sequence number of the event: its place in the log.
    public var sequence: SequenceNumber { SequenceNumber(header(EventFormat.Offset.sequence, as: UInt64.self)) }

    /// The position in the log directly after this event.
    public var position: Position {
        Position(sequence: sequence, chain: header(EventFormat.Offset.chain, as: UInt64.self))
    }

    /// The sequence number of the first event in the same commit.
    public var commit: SequenceNumber {
        SequenceNumber(sequence.value &- UInt64(header(EventFormat.Offset.indexInCommit, as: UInt32.self)))
    }

    /// Whether the event is the last one of its commit. A reader that has reached it has seen the whole commit.
    public var isLastInCommit: Bool { read(\.isLastInCommit) ?? false }

    /// The sequence number of the previous event of the same record, ``SequenceNumber/zero`` if there is none.
    public var previous: SequenceNumber { SequenceNumber(header(EventFormat.Offset.previous, as: UInt64.self)) }

    /// When the event was appended, in microseconds since 1970-01-01T00:00:00Z. The time comes from the machine's
    /// clock, so that it does not give the order of events.
    public var microsecondsSince1970: Int64 { header(EventFormat.Offset.wallClock, as: Int64.self) }

    /// The version of the schema that the event was written under.
    public var schemaVersion: UInt32 { header(EventFormat.Offset.schemaVersion, as: UInt32.self) }

    /// Whether the event came from this app or from a server.
    public var origin: Origin { read(\.origin) ?? .local }

    /// Whether a migration wrote the event. Such an event repeats the record in the form of a later schema. It is not a
    /// change, and is never sent to a server.
    public var isMigrated: Bool { read(\.isMigrated) ?? false }

    /// Whether the salvage of a damaged log made the event.
    ///
    /// Such an event either repeats what the rows still contained of a lost event, or replaces a lost schema by another one.
    public var isSalvaged: Bool { read { $0.flags.contains(.salvaged) } ?? false }

    /// The name of the record's model in the event's schema version, `nil` if the event concerns no record.
    public var model: String? { layout?.name }

    /// The record's id, `nil` if the event concerns no record.
    ///
    /// An event that leaves no row has only the record's key. The key holds the instant of a temporal value, but not
    /// its text. The text then comes from the last row before the event. If compaction dropped that row, the id has
    /// another text for the same instant, in UTC if the type has a UTC form. The id still names the same record. A
    /// ``Projection`` always sees such a text, because the result of a projection must not depend on the events that
    /// compaction dropped.
    public var recordID: RecordID? {
        guard let layout else { return nil }
        if let formerID { return formerID }
        return read { view in
            if let row = view.row { return try layout.recordID(of: RowView(row)) }
            return try layout.recordID(ofKey: view.key)
        }
    }

    /// The encoded primary key of the record (FORMATS, section 5); empty if the event concerns no record.
    public var key: [UInt8] { layout == nil ? [] : read { Array($0.key) } ?? [] }

    /// Whether the event holds a server's state of a record that has unsent local changes. Such an event leaves the
    /// record's row as it is.
    public var isShadowed: Bool { read(\.isShadowed) ?? false }

    /// Whether the event writes or removes the row of its record.
    public var changesRow: Bool { read(\.changesRow) ?? false }

    /// The record that the event holds, in the event's schema version; `nil` if the event holds no record. Unless the
    /// event is shadowed, this is the new state of the record.
    public var record: Record? {
        guard let layout else { return nil }
        return read { try $0.row.map { try Record(RowView($0), layout: layout) } } ?? nil
    }

    /// Decodes the record that the event leaves as a value of its model.
    ///
    /// An event of an earlier schema is read as an event of the latest schema. Fields have their present names. A field
    /// that was added later has its default value.
    ///
    /// - Returns: `nil` if the event leaves no record, or a record of another model.
    /// - Throws: ``RowDamage`` if the row cannot be decoded as `type`. This also happens if the type of a required
    ///   field has changed, or if a required field was added without a default.
    public func decode<Value: Model>(_ type: Value.Type) throws -> Value? {
        guard let layout, let latest = schemas.latest, let model = latest.model(numbered: layout.number),
            model.name == type.schema.name
        else { return nil }
        let view = try latest.model(of: type)
        return try bytes.withUnsafeBytes { bytes in
            var arenas: [ByteArena] = []
            defer { withExtendedLifetime(arenas) {} }
            guard let row = try schemas.upcasts.row(of: EventView(bytes), model, keptBy: &arenas) else { return nil }
            var decoder = RowDecoder(row, layout: view.row)
            return try Value(from: &decoder)
        }
    }

    /// The names of the fields that the event changed, in the order of their declaration.
    public var changedFields: [String] {
        guard let layout else { return [] }
        return read { view in
            let changed = view.changedFields
            var names: [String] = []
            names.reserveCapacity(layout.row.fields.count)
            for field in layout.row.fields where changed.contains(field.slot) { names.append(field.name) }
            return names
        } ?? []
    }

    /// The condition of the change as text, `nil` if the change had no condition.
    public var condition: String? {
        read {
            $0.condition.isEmpty
                ? nil : String(validating: $0.condition.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        } ?? nil
    }

    /// Calls `body` with the row that the event leaves, and with the layout of the model in the event's schema version.
    ///
    /// - Returns: The result of `body`, or `nil` if the event leaves no row.
    /// - Throws: ``RowDamage`` if the row cannot be decoded, or an error of `body`.
    package func withRow<Result>(_ body: (RowView, ModelLayout) throws -> Result) throws -> Result? {
        guard let layout else { return nil }
        return try bytes.withUnsafeBytes { bytes in
            guard let row = try EventView(bytes).row else { return nil }
            return try body(RowView(row), layout)
        }
    }
}
