@_spi(Adapters) internal import TidelogCore

extension Statement {
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
    private func setValue(of place: ColumnPlace, at position: Int32, in row: RowAssembler, _ shape: TableShape) throws {
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
