internal import CChecksum

/// A hash over all models, keys and rows of a store, in key order. It is equal for every adapter that has the same
/// content (FORMATS, section 9).
public struct StateHash: Sendable, Hashable, CustomStringConvertible {
    /// The hash's 64 bits.
    public private(set) var value: UInt64 = 0

    /// The hash of an empty set of rows.
    public init() {}

    /// The hash of all rows that `reader` sees.
    @_spi(Adapters) public init(of reader: any AdapterReader, schema: SchemaLayout) throws {
        let scratch = ByteArena()
        for model in schema.models.sorted(by: { $0.name < $1.name }) {
            try reader.fetch(try StorageQuery(model: model)) { row in
                try add(row, of: model, scratch: scratch)
                return true
            }
        }
    }

    private mutating func add(_ row: StoredRow, of model: ModelLayout, scratch: ByteArena) throws {
        scratch.count = 0
        scratch.append(text: model.name)
        scratch.append(bytes: row.key)
        try model.row.appendCanonical(row.row, to: scratch)
        let crc = tidelog_crc32c(0, scratch.base, scratch.count)
        value = Checksum.mix(value &+ (UInt64(crc) << 32 | UInt64(truncatingIfNeeded: scratch.count)))
    }

    /// The hash as 16 hexadecimal digits.
    public var description: String { value.hexadecimal }
}

extension RowLayout {
    /// Appends the fields of `row` that have a value, in the order of their names, so that the numbers of fields do not matter.
    fileprivate func appendCanonical(_ row: RowView, to scratch: ByteArena, depth: Int = 0) throws(RowDamage) {
        scratch.append(count: fields.count { row.isPresent($0.slot) })
        for field in canonicalFields {
            guard let bytes = try row.value(field.slot) else { continue }
            scratch.append(text: field.name)
            try Self.appendCanonical(bytes, type: field.type, embedded: field.embedded, to: scratch, depth: depth + 1)
        }
    }

    private static func appendCanonical(
        _ bytes: UnsafeRawBufferPointer, type: FieldType, embedded: RowLayout?, to scratch: ByteArena, depth: Int
    ) throws(RowDamage) {
        guard let embedded else { return scratch.append(bytes: bytes) }
        try RowView.check(depth: depth)
        switch type {
        case .embedded: try embedded.appendCanonical(RowView(bytes), to: scratch, depth: depth)
        case .list(let element, _):
            var list = try ListDecoder(bytes, embedded: embedded)
            scratch.append(count: list.count)
            for _ in 0..<list.count {
                let bytes = try list.nextBytes()
                scratch.append(count: bytes == nil ? 0 : 1)
                if let bytes {
                    try appendCanonical(bytes, type: element, embedded: embedded, to: scratch, depth: depth + 1)
                }
            }
        default: scratch.append(bytes: bytes)
        }
    }
}

extension ByteArena {
    fileprivate func append(count number: Int) {
        reserve(8).store(UInt64(number), at: 0)
        count += 8
    }

    fileprivate func append(bytes: UnsafeRawBufferPointer) {
        append(count: bytes.count)
        append(bytes)
    }

    fileprivate func append(text: String) {
        var text = text
        text.withUTF8 { append(bytes: UnsafeRawBufferPointer($0)) }
    }
}
