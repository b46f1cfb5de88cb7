/// One immutable fact of the log.
///
/// Cheap to pass on: it holds the event's bytes and decodes what is asked for.
public struct Event: Sendable {
    let bytes: [UInt8]
    /// The layout by the schema version that the event names.
    let layout: ModelLayout?
    let schemas: SchemaHistory
    /// What happened.
    public let kind: EventKind
    /// The record's id as the last row before the event has it. The log's readers set it for an event that leaves no row,
    /// where the key alone does not give the exact id.
    var formerID: RecordID?

    init(_ view: EventView, schemas: SchemaHistory) throws {
        bytes = Array(view.bytes)
        kind = view.kind
        self.schemas = schemas
        layout = view.modelNumber == 0 ? nil : try schemas.layout(version: view.schemaVersion, model: view.modelNumber)
    }

    /// The bytes were checked when the event was read: what cannot be is a missing value.
    func read<Result>(_ body: (EventView) throws -> Result) -> Result? {
        try? bytes.withUnsafeBytes { try body(EventView($0)) }
    }

    func header<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { preconditionFailure("an event has a header") }
            return UnsafeRawPointer(base).load(offset, as: type)
        }
    }

    /// The event's place in the log.
    public var sequence: SequenceNumber { SequenceNumber(header(EventFormat.Offset.sequence, as: UInt64.self)) }

    /// The log's place after this event.
    public var position: Position {
        Position(sequence: sequence, chain: header(EventFormat.Offset.chain, as: UInt64.self))
    }

    /// The first event of the commit that this event belongs to.
    public var commit: SequenceNumber {
        SequenceNumber(sequence.value &- UInt64(header(EventFormat.Offset.indexInCommit, as: UInt32.self)))
    }

    /// Whether the event is the last of its commit: everything of the commit has been seen then.
    public var isLastInCommit: Bool { read(\.isLastInCommit) ?? false }

    /// The event before this one of the same record, ``SequenceNumber/zero`` if there is none.
    public var previous: SequenceNumber { SequenceNumber(header(EventFormat.Offset.previous, as: UInt64.self)) }

    /// When the event was appended, in microseconds since 1970-01-01T00:00:00Z by the machine's clock; never an order.
    public var microsecondsSince1970: Int64 { header(EventFormat.Offset.wallClock, as: Int64.self) }

    /// The version of the schema that the event follows.
    public var schemaVersion: UInt32 { header(EventFormat.Offset.schemaVersion, as: UInt32.self) }

    /// Whether the event came from this app or from a server.
    public var origin: Origin { read(\.origin) ?? .local }

    /// Whether a migration wrote the event: it repeats the record in the form of a later schema, and is no change that is
    /// ever sent to a server.
    public var isMigrated: Bool { read(\.isMigrated) ?? false }

    /// Whether salvaging a damaged log made the event: it repeats what the rows still knew of an event that was lost, or puts
    /// another schema in the place of one that was.
    public var isSalvaged: Bool { read { $0.flags.contains(.salvaged) } ?? false }

    /// The name of the record's model, by the schema that the event follows; `nil` if the event concerns no record.
    public var model: String? { layout?.name }

    /// The record's id, `nil` if the event concerns no record.
    ///
    /// An event that leaves no row has only the record's key, which holds the instant of a temporal and not its text. The
    /// text then comes from the last row before the event. If compaction dropped that row, the id has another text of the
    /// same instant, in UTC where there is one; it still names the same record. A ``Projection`` always sees such a text,
    /// because what it makes of an event must not depend on what compaction dropped.
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

    /// Whether the event says what a server holds of a record that has changes which were not sent yet. Such an event
    /// leaves the record's row as it is.
    public var isShadowed: Bool { read(\.isShadowed) ?? false }

    /// Whether the event puts or removes the row of its record.
    public var changesRow: Bool { read(\.changesRow) ?? false }

    /// The record that the event holds, by the schema that the event follows; `nil` if it holds none. It is the record from
    /// then on, unless the event is shadowed.
    public var record: Record? {
        guard let layout else { return nil }
        return read { try $0.row.map { try Record(RowView($0), layout: layout) } } ?? nil
    }

    /// The record as the event leaves it, as a value of its model; `nil` if it leaves none, or is of another model.
    ///
    /// An event of an earlier schema is read as one of the latest: fields go by their present names, and those that came
    /// since have their defaults.
    ///
    /// - Throws: ``RowDamage`` if the row does not decode as `type`, also where a field that `type` requires has another
    ///   type since, or came without a default.
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

    /// The names of the fields that the event changed, in declaration order.
    public var changedFields: [String] {
        guard let layout else { return [] }
        return read { view in layout.row.fields.filter { view.changedFields.contains($0.slot) }.map(\.name) } ?? []
    }

    /// The condition under which the change was made, as text, if there was one.
    public var condition: String? {
        read {
            $0.condition.isEmpty
                ? nil : String(validating: $0.condition.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        } ?? nil
    }
}
