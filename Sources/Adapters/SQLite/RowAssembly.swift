internal import TidelogCore

extension Statement {
    /// Appends the row whose columns, from the third on, `shape` selected: byte for byte the row that was put, as long as
    /// the schema is the same (FORMATS, section 4).
    func appendRow(of shape: TableShape, to arena: ByteArena) throws -> Range<Int> {
        let slotCount = shape.model.row.slotCount
        return try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: slotCount) { ends in
            let start = arena.count
            let tableOffset = 4 + (slotCount + 7) / 8
            let narrowByteCount = tableOffset + slotCount * 2
            let header = arena.reserve(narrowByteCount)
            header.initializeMemory(as: UInt8.self, repeating: 0, count: narrowByteCount)
            header.storeBytes(of: 1, as: UInt8.self)
            header.storeBytes(of: UInt16(truncatingIfNeeded: slotCount).littleEndian, toByteOffset: 2, as: UInt16.self)
            arena.count += narrowByteCount
            var slot = 0
            var position: Int32 = 2
            for column in shape.columns {
                let own = column.field.slot
                while slot < own {
                    ends[slot] = UInt32(truncatingIfNeeded: arena.count - start)
                    slot += 1
                }
                if try appendValue(of: column, at: position, to: arena) {
                    let presence = arena.base + (start + 4 + own >> 3)
                    presence.storeBytes(of: presence.load(as: UInt8.self) | 1 << UInt8(own & 7), as: UInt8.self)
                }
                position += column.storage == .temporal ? 2 : 1
                ends[own] = UInt32(truncatingIfNeeded: arena.count - start)
                slot = own + 1
            }
            while slot < slotCount {
                ends[slot] = UInt32(truncatingIfNeeded: arena.count - start)
                slot += 1
            }
            Self.writeTable(ends, at: tableOffset, from: start, in: arena)
            return start..<arena.count
        }
    }

    /// Writes the slots' ends: in two bytes each, or, where the row is too long for that, in four.
    @inline(__always)
    private static func writeTable(
        _ ends: UnsafeMutableBufferPointer<UInt32>, at tableOffset: Int, from start: Int, in arena: ByteArena
    ) {
        if arena.count - start <= Int(UInt16.max) {
            let table = arena.base + (start + tableOffset)
            for (slot, end) in ends.enumerated() {
                table.storeBytes(
                    of: UInt16(truncatingIfNeeded: end).littleEndian, toByteOffset: slot * 2, as: UInt16.self)
            }
            return
        }
        let growth = ends.count * 2
        let valuesStart = start + tableOffset + growth
        arena.reserve(growth)
        (arena.base + (valuesStart + growth)).copyMemory(
            from: arena.base + valuesStart, byteCount: arena.count - valuesStart)
        arena.count += growth
        (arena.base + start).storeBytes(of: 0x81, as: UInt8.self)
        let table = arena.base + (start + tableOffset)
        for (slot, end) in ends.enumerated() {
            table.storeBytes(
                of: (end + UInt32(truncatingIfNeeded: growth)).littleEndian, toByteOffset: slot * 4, as: UInt32.self)
        }
    }

    /// Appends the value of `column`, which is selected at `position`; false where it is missing.
    @inline(__always)
    private func appendValue(of column: Column, at position: Int32, to arena: ByteArena) throws -> Bool {
        switch (type(position), column.storage) {
        case (.missing, _): return false
        case (.text, .text): arena.append(text(position))
        case (.int, .int): appendWord(UInt64(bitPattern: int(position)), to: arena)
        case (.double, .double): appendWord(double(position).bitPattern, to: arena)
        case (.int, .bool):
            arena.reserve(1).storeBytes(of: int(position) == 0 ? 0 : 1, as: UInt8.self)
            arena.count += 1
        case (.blob, .blob): arena.append(blob(position))
        case (.text, .temporal):
            let instant = blob(position + 1)
            guard instant.count == InstantBytes.count else { throw damaged(column) }
            InstantBytes.append(instant, to: arena)
            arena.append(text(position))
        case (.blob, .packedTemporal):
            let packed = blob(position)
            guard packed.count >= InstantBytes.count else { throw damaged(column) }
            InstantBytes.append(packed, to: arena)
            arena.append(UnsafeRawBufferPointer(rebasing: packed[InstantBytes.count...]))
        default: throw damaged(column)
        }
        return true
    }

    @inline(__always)
    private func appendWord(_ word: UInt64, to arena: ByteArena) {
        arena.reserve(8).storeBytes(of: word.littleEndian, as: UInt64.self)
        arena.count += 8
    }

    private func damaged(_ column: Column) -> DataStoreError {
        .damagedRows("The column \(column.field.name) holds a value of another type.")
    }
}
