@_spi(Adapters) internal import TidelogCore

/// The list of keyspaces and of the components of the indexes: the entry `layouts` of `meta` (FORMATS, section 7.3).
struct StoredLayouts: Hashable, Sendable {
    /// A secondary index of a model.
    struct Index: Hashable, Sendable {
        let model: UInt32
        let number: UInt16
        /// The components of its keys. They are empty if the index was dropped and has no entries.
        var components: ContiguousArray<IndexKey.Component>

        /// Appends the model, the number and the components to `bytes`.
        func append(to bytes: inout [UInt8]) {
            bytes += model.littleEndianBytes
            bytes += number.littleEndianBytes
            bytes += UInt16(components.count).littleEndianBytes
            for component in components {
                bytes += component.slot.littleEndianBytes
                bytes += component.kind.rawValue.littleEndianBytes
            }
        }
    }

    /// An auxiliary table.
    struct Auxiliary: Hashable, Sendable {
        let index: UInt32
        let name: String
    }

    /// The number of changes of this entry.
    var generation: UInt64 = 0
    /// The numbers of all models that have or had rows.
    var models: [UInt32] = []
    /// All present and earlier indexes.
    var indexes: [Index] = []
    /// All present and earlier auxiliary tables.
    var auxiliary: [Auxiliary] = []
}

extension StoredLayouts {
    /// The name of the keyspace of a model's rows.
    static func name(ofModel number: UInt32) -> String { "m\(number)" }
    /// The name of the keyspace of an index.
    static func name(of index: Index) -> String { "i\(index.model).\(index.number)" }
    /// The name of the keyspace of an auxiliary table.
    static func name(ofAuxiliary name: String) -> String { "a.\(name)" }

    /// The layouts of `schema` and `auxiliaryTables`. Earlier keyspaces stay in them, emptied or unused.
    func adopting(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) -> StoredLayouts {
        var next = self
        var wanted: [Index] = []
        for model in schema.models {
            if !next.models.contains(model.number) { next.models.append(model.number) }
            for index in model.indexes {
                let components = ContiguousArray(index.fields.map(IndexKey.Component.init))
                wanted.append(Index(model: model.number, number: index.number, components: components))
            }
        }
        for old in indexes where !wanted.contains(where: { $0.model == old.model && $0.number == old.number }) {
            wanted.append(Index(model: old.model, number: old.number, components: []))
        }
        next.indexes = wanted
        let wantedTables = auxiliaryTables.map { Auxiliary(index: UInt32($0.index), name: $0.name) }
        next.auxiliary = auxiliary.filter { old in !wantedTables.contains { $0.name == old.name } } + wantedTables
        if next != self { next.generation += 1 }
        return next
    }

    /// The generation in the encoded `bytes`, without decoding the rest.
    static func generation(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        bytes.count >= 8 ? UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) : nil
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes += generation.littleEndianBytes
        bytes += UInt32(models.count).littleEndianBytes
        for model in models { bytes += model.littleEndianBytes }
        bytes += UInt32(indexes.count).littleEndianBytes
        for index in indexes { index.append(to: &bytes) }
        bytes += UInt32(auxiliary.count).littleEndianBytes
        for table in auxiliary {
            bytes += table.index.littleEndianBytes
            bytes += UInt16(table.name.utf8.count).littleEndianBytes
            bytes += table.name.utf8
        }
        return bytes
    }

    /// The layouts that are encoded in `bytes`.
    init(encoded bytes: UnsafeRawBufferPointer) throws {
        var reader = Reader(bytes: bytes)
        generation = try reader.number()
        for _ in 0..<(try reader.number() as UInt32) { models.append(try reader.number()) }
        for _ in 0..<(try reader.number() as UInt32) {
            var index = Index(model: try reader.number(), number: try reader.number(), components: [])
            for _ in 0..<(try reader.number() as UInt16) {
                let slot: UInt16 = try reader.number()
                guard let kind = IndexKey.Component.Kind(rawValue: try reader.number()) else {
                    throw damaged("the layouts have an unknown component")
                }
                index.components.append(IndexKey.Component(slot: slot, kind: kind))
            }
            indexes.append(index)
        }
        for _ in 0..<(try reader.number() as UInt32) {
            let index: UInt32 = try reader.number()
            auxiliary.append(Auxiliary(index: index, name: try reader.text()))
        }
        guard reader.position == bytes.count else { throw damaged("the layouts have an unknown part") }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        mutating func number<Number: FixedWidthInteger>() throws -> Number {
            let size = MemoryLayout<Number>.size
            guard bytes.count - position >= size else { throw damaged("the layouts are cut") }
            defer { position += size }
            return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
        }

        mutating func text() throws -> String {
            let count = Int(try number() as UInt16)
            guard bytes.count - position >= count else { throw damaged("the layouts are cut") }
            defer { position += count }
            return String(decoding: bytes[position..<(position + count)], as: UTF8.self)
        }
    }
}
