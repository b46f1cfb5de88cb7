/// The rules for reading rows of earlier schemas as rows of the latest schema.
///
/// If a field became required after a row was written, the row gets the default value that the field had when it became
/// required. The rules depend on the schemas alone, so that every rebuild gives the same rows.
struct SchemaUpcasts: Sendable {
    /// A value for rows that lack it, if they were written under a schema version before `version`.
    private struct Fill {
        let version: UInt32
        /// The encoded value.
        let bytes: [UInt8]
    }

    /// The values by the name of the model or embedded type in the latest schema, and by slot. The oldest value is the first.
    private var fills: [String: [Int: [Fill]]] = [:]
    /// For each model number, the first schema version whose rows need no upcast.
    private var completeSince: [UInt32: UInt32] = [:]
    /// The names of the types whose values may need an upcast, themselves or in an embedded value.
    private var concerned: Set<String> = []

    /// - Parameter layouts: All schemas of the log, the oldest first.
    init(_ layouts: [SchemaLayout]) {
        guard let latest = layouts.last else { return }
        for (before, after) in zip(layouts, layouts.dropFirst()) {
            for model in after.models {
                guard let old = before.model(numbered: model.number) else { continue }
                let name = latest.model(numbered: model.number)?.name ?? model.name
                add(from: old.row, to: model.row, of: name, after.schema.version)
            }
            for type in after.embeddedTypes {
                guard let old = before.embeddedTypes.first(where: { $0.name == type.name }) else { continue }
                add(from: old, to: type, of: type.name, after.schema.version)
            }
        }
        guard !fills.isEmpty else { return }
        let reached = latest.schema.declared.reachedTypes
        let versions = fills.mapValues { slots in slots.values.joined().map(\.version).max() ?? 0 }
        for model in latest.models {
            let types = reached[model.name, default: []].union([model.name])
            if let last = types.compactMap({ versions[$0] }).max() { completeSince[model.number] = last }
        }
        concerned = Set(fills.keys)
        var isGrowing = true
        while isGrowing {
            isGrowing = false
            for type in latest.embeddedTypes where !concerned.contains(type.name) {
                guard type.fields.contains(where: { $0.embedded.map { concerned.contains($0.name) } ?? false }) else {
                    continue
                }
                concerned.insert(type.name)
                isGrowing = true
            }
        }
    }

    private mutating func add(from old: RowLayout, to new: RowLayout, of name: String, _ version: UInt32) {
        let required = Set(old.fields.filter(\.isRequired).map(\.slot))
        for field in new.fields where field.isRequired && !required.contains(field.slot) {
            guard let value = field.schema.defaultValue?.converted(to: field), let bytes = value.encoded(as: field)
            else { continue }
            fills[name, default: [:]][field.slot, default: []].append(Fill(version: version, bytes: bytes))
        }
    }

    /// Whether a row of the model with number `model` may lack values if it was written under schema `version`.
    @inline(__always)
    func concerns(_ model: UInt32, version: UInt32) -> Bool {
        !completeSince.isEmpty && version < completeSince[model, default: 0]
    }

    /// Whether rows that were made under schema `version` lack values that the latest schema requires.
    func concernsRows(since version: UInt32) -> Bool { completeSince.values.contains { version < $0 } }

    /// Upcasts `row`, which was written under schema `version`, to a row of `model`. The result is in a separate arena.
    ///
    /// - Returns: `nil` if the row needs no upcast.
    func upcast(_ row: RowView, of model: ModelLayout, from version: UInt32) throws -> ByteArena? {
        guard concerns(model.number, version: version) else { return nil }
        let arena = ByteArena(capacity: row.bytes.count + 256)
        var encoder = RowEncoder(arena: arena, layout: model.row)
        try write(row, model.row, version, to: &encoder)
        // If a required value has no default, the value stays missing. The error of the encoder is therefore ignored.
        _ = encoder.finish()
        return arena
    }

    /// The row that `event` leaves, as a row of `model`. The row is in the event's bytes, or in an arena that is added
    /// to `arenas`.
    func row(of event: EventView, _ model: ModelLayout, keptBy arenas: inout [ByteArena]) throws -> RowView? {
        guard let row = try event.row.map({ bytes throws(RowDamage) in try RowView(bytes) }) else { return nil }
        guard let arena = try upcast(row, of: model, from: event.schemaVersion) else { return row }
        arenas.append(arena)
        return try arena.row()
    }

    private func write(_ row: RowView, _ layout: RowLayout, _ version: UInt32, to encoder: inout RowEncoder) throws {
        for field in layout.fields {
            if let bytes = try row.value(field.slot) {
                try write(bytes, field, version, to: &encoder)
            } else if let fill = fills[layout.name]?[field.slot]?.first(where: { $0.version > version }) {
                fill.bytes.withUnsafeBytes { encoder.encode(bytes: $0) }
            } else {
                encoder.encodeMissing()
            }
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ field: FieldLayout, _ version: UInt32, to encoder: inout RowEncoder
    ) throws {
        guard let embedded = field.embedded, concerned.contains(embedded.name) else {
            return encoder.encode(bytes: bytes)
        }
        if case .list(let element, _) = field.type {
            try encoder.encodeList { try write(bytes, of: element, embedded, version, to: &$0) }
        } else {
            try encoder.encodeEmbedded { try write(RowView(bytes), embedded, version, to: &$0) }
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, of element: FieldType, _ embedded: RowLayout, _ version: UInt32,
        to encoder: inout ListEncoder
    ) throws {
        var list = try ListDecoder(bytes, embedded: embedded)
        for _ in 0..<list.count {
            guard let bytes = try list.nextBytes() else {
                encoder.appendMissing()
                continue
            }
            if case .list(let inner, _) = element {
                try encoder.appendList { try write(bytes, of: inner, embedded, version, to: &$0) }
            } else {
                try encoder.appendEmbedded { try write(RowView(bytes), embedded, version, to: &$0) }
            }
        }
    }
}

extension ByteArena {
    /// The row that takes up the whole arena.
    func row() throws(RowDamage) -> RowView { try RowView(self[0..<count]) }
}

extension FieldValue {
    /// The encoded bytes of the value, which was converted to the type of `field` (FORMATS, section 4).
    func encoded(as field: FieldLayout) -> [UInt8]? {
        let arena = ByteArena()
        var list = ListEncoder(arena: arena, embedded: field.embedded, depth: 1)
        list.append([self])
        guard list.finish() == nil, var decoder = try? ListDecoder(arena[0..<arena.count]) else { return nil }
        return (try? decoder.nextBytes()).flatMap { $0 }.map { Array($0) }
    }
}
