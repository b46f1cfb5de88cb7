@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

extension Statement {
    /// Binds the values of `row` to the parameters of `shape`'s columns.
    ///
    /// Texts and blobs are bound without a copy. `instants` is the memory for the row's instants, 12 bytes each.
    func bind(_ row: RowView, of shape: TableShape, onlyUnindexed: Bool, instants: UnsafeMutableRawPointer) throws {
        var instants = instants
        for column in shape.places where column.isStored && !(onlyUnindexed && column.isIndexed) {
            let parameter = column.parameter
            guard let value = try row.value(column.slot) else {
                bindMissing(at: parameter)
                if column.storage == .temporal { bindMissing(at: parameter + 1) }
                continue
            }
            switch column.storage {
            case .text: bindText(value, at: parameter)
            case .int: bind(Int64(bitPattern: try Self.word(value)), at: parameter)
            case .double: bind(Double(bitPattern: try Self.word(value)), at: parameter)
            case .bool:
                guard value.count == 1 else { throw RowDamage("a Boolean is not one byte") }
                bind(Int64(value[0]), at: parameter)
            case .blob: bindBlob(value, at: parameter)
            case .temporal:
                try InstantBytes.makeComparable(value, into: instants)
                bindText(UnsafeRawBufferPointer(rebasing: value[InstantBytes.count...]), at: parameter)
                bindBlob(UnsafeRawBufferPointer(start: instants, count: InstantBytes.count), at: parameter + 1)
                instants += InstantBytes.count
            case .packedTemporal:
                var packed = Array(value)
                try packed.withUnsafeMutableBytes { packed in
                    if let base = packed.baseAddress { try InstantBytes.makeComparable(value, into: base) }
                }
                bind(copying: .blob(packed), at: parameter)
            }
        }
    }

    @inline(__always)
    private static func word(_ value: UnsafeRawBufferPointer) throws -> UInt64 {
        guard value.count == 8 else { throw RowDamage("a number is not 8 bytes") }
        return UInt64(littleEndian: value.loadUnaligned(as: UInt64.self))
    }

    /// Appends the row that was selected with `shape`. The columns of its fields begin with the third column.
    ///
    /// The result is the stored row byte for byte, as long as the schema is the same.
    func appendRow(of shape: TableShape, to arena: ByteArena) throws -> Range<Int> {
        let row = shape.assembler
        row.begin()
        var position: Int32 = 2
        for place in shape.places {
            try setValue(of: place, at: position, in: row, shape)
            position += place.storage == .temporal ? 2 : 1
        }
        let start = arena.count
        let byteCount = row.write { arena.reserve($0) }
        arena.count = start + byteCount
        return start..<start + byteCount
    }

    /// Sets the value of `row` at `place` to the column at `position`. SQLite owns the bytes until the next step.
    @inline(__always)
    private func setValue(of place: Column.Place, at position: Int32, in row: RowAssembler, _ shape: TableShape) throws
    {
        switch (type(position), place.storage) {
        case (.missing, _): return
        case (.text, .text): return row.set(text(position), at: place.slot)
        case (.int, .int): return row.set(int(position), at: place.slot)
        case (.double, .double): return row.set(double(position), at: place.slot)
        case (.int, .bool): return row.set(int(position) != 0, at: place.slot)
        case (.blob, .blob): return row.set(blob(position), at: place.slot)
        case (.text, .temporal):
            let bytes = blob(position + 1)
            if bytes.count == InstantBytes.count, let instant = InstantBytes.instant(bytes) {
                return row.set(instant, text(position), at: place.slot)
            }
        case (.blob, .packedTemporal):
            let packed = blob(position)
            if let instant = InstantBytes.instant(packed) {
                return row.set(instant, UnsafeRawBufferPointer(rebasing: packed[InstantBytes.count...]), at: place.slot)
            }
        default: break
        }
        throw DataStoreError.damagedRows("A column of \(shape.model.name) holds a value of another type.")
    }
}

extension Statement {
    /// The form of instants in the file: 12 bytes that sort like the instants (FORMATS, sections 5 and 7.4).
    enum InstantBytes {
        static let count = 12

        /// Converts the first 12 bytes of a temporal's value in a row (section 4) into bytes that sort like the instants.
        @inline(__always)
        static func makeComparable(_ value: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) throws {
            guard value.count >= count else { throw RowDamage("a temporal is cut") }
            let seconds = UInt64(littleEndian: value.loadUnaligned(as: UInt64.self)) ^ (1 << 63)
            let nanoseconds = UInt32(littleEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            target.storeBytes(of: seconds.bigEndian, as: UInt64.self)
            target.storeBytes(of: nanoseconds.bigEndian, toByteOffset: 8, as: UInt32.self)
        }

        /// The instant whose comparable bytes are the first of `bytes`, or `nil` if there are too few bytes.
        @inline(__always)
        static func instant(_ bytes: UnsafeRawBufferPointer) -> Temporal.Instant? {
            guard bytes.count >= count else { return nil }
            let seconds = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) ^ (1 << 63)
            let nanoseconds = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            guard nanoseconds < 1_000_000_000 else { return nil }
            return Temporal.Instant(seconds: Int64(bitPattern: seconds), nanoseconds: Int32(nanoseconds))
        }
    }
}
