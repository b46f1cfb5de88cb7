@_spi(Adapters) internal import TidelogCore

extension Statement {
    /// Appends the row whose columns, from the third on, `shape` selected: byte for byte the row that was put, as long as
    /// the schema is the same (FORMATS, section 4).
    ///
    /// First the values are found where SQLite has them, so that the row's length is known; then it is written once.
    func appendRow(of shape: TableShape, to arena: ByteArena) throws -> Range<Int> {
        let count = shape.places.count
        return try withUnsafeTemporaryAllocation(of: RowPiece.self, capacity: count) { pieces in
            var byteCount = 0
            var position: Int32 = 2
            for index in 0..<count {
                let place = shape.places[index]
                let piece = try piece(of: place, at: position, in: shape)
                pieces.initializeElement(at: index, to: piece)
                byteCount += piece.byteCount
                position += place.storage == .temporal ? 2 : 1
            }
            let start = arena.count
            let frame = RowFrame(slotCount: shape.model.row.slotCount, valueByteCount: byteCount)
            frame.write(pieces, at: shape.places, into: arena.reserve(frame.byteCount))
            arena.count = start + frame.byteCount
            return start..<start + frame.byteCount
        }
    }

    /// The value of the column at `place`, selected at `position`.
    @inline(__always)
    private func piece(of place: ColumnPlace, at position: Int32, in shape: TableShape) throws -> RowPiece {
        switch (type(position), place.storage) {
        case (.missing, _): return RowPiece(kind: .missing, byteCount: 0)
        case (.text, .text): return RowPiece(text(position))
        case (.int, .int): return RowPiece(kind: .word(UInt64(bitPattern: int(position))), byteCount: 8)
        case (.double, .double): return RowPiece(kind: .word(double(position).bitPattern), byteCount: 8)
        case (.int, .bool): return RowPiece(kind: .flag(int(position) != 0), byteCount: 1)
        case (.blob, .blob): return RowPiece(blob(position))
        case (.text, .temporal):
            let instant = blob(position + 1)
            if let base = instant.baseAddress, instant.count == InstantBytes.count {
                return RowPiece(instant: base, text: text(position))
            }
        case (.blob, .packedTemporal):
            let packed = blob(position)
            if let base = packed.baseAddress, packed.count >= InstantBytes.count {
                return RowPiece(instant: base, text: UnsafeRawBufferPointer(rebasing: packed[InstantBytes.count...]))
            }
        default: break
        }
        throw DataStoreError.damagedRows("A column of \(shape.model.name) holds a value of another type.")
    }
}

/// One value on its way from a column to a row. Its memory is SQLite's, valid until the next step.
private struct RowPiece {
    enum Kind {
        case missing
        case word(UInt64)
        case flag(Bool)
        case bytes
        /// Comparable bytes of an instant, before the text.
        case instant(UnsafeRawPointer)
    }

    let kind: Kind
    /// How many bytes the value has in the row.
    let byteCount: Int
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

    @inline(__always)
    init(kind: Kind, byteCount: Int) {
        self.kind = kind
        self.byteCount = byteCount
    }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(kind: .bytes, byteCount: bytes.count)
        self.bytes = bytes
    }

    @inline(__always)
    init(instant: UnsafeRawPointer, text: UnsafeRawBufferPointer) {
        self.init(kind: .instant(instant), byteCount: InstantBytes.count + text.count)
        bytes = text
    }

    /// Writes the value.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer) {
        switch kind {
        case .missing: break
        case .word(let word): target.storeBytes(of: word.littleEndian, as: UInt64.self)
        case .flag(let flag): target.storeBytes(of: flag ? 1 : 0, as: UInt8.self)
        case .bytes:
            if let base = bytes.baseAddress { target.copyMemory(from: base, byteCount: bytes.count) }
        case .instant(let instant):
            InstantBytes.makeStored(instant, into: target)
            if let base = bytes.baseAddress {
                (target + InstantBytes.count).copyMemory(from: base, byteCount: bytes.count)
            }
        }
    }
}

/// The frame of a row: header, presence and ends, in two bytes each as long as the whole row fits that.
private struct RowFrame {
    let slotCount: Int
    let tableOffset: Int
    let isWide: Bool
    let byteCount: Int

    init(slotCount: Int, valueByteCount: Int) {
        self.slotCount = slotCount
        tableOffset = 4 + (slotCount + 7) / 8
        let narrow = tableOffset + 2 * slotCount + valueByteCount
        isWide = narrow > Int(UInt16.max)
        byteCount = isWide ? narrow + 2 * slotCount : narrow
    }

    /// Writes the frame and `pieces`, one for each of `places`.
    func write(
        _ pieces: UnsafeMutableBufferPointer<RowPiece>, at places: ContiguousArray<ColumnPlace>,
        into row: UnsafeMutableRawPointer
    ) {
        row.initializeMemory(as: UInt8.self, repeating: 0, count: tableOffset)
        row.storeBytes(of: isWide ? 0x81 : 0x01, as: UInt8.self)
        row.storeBytes(of: UInt16(truncatingIfNeeded: slotCount).littleEndian, toByteOffset: 2, as: UInt16.self)
        var end = tableOffset + slotCount * (isWide ? 4 : 2)
        var slot = 0
        for (place, piece) in zip(places, pieces) {
            while slot < place.slot {
                setEnd(end, of: slot, in: row)
                slot += 1
            }
            if case .missing = piece.kind {
            } else {
                let presence = row + (4 + slot >> 3)
                presence.storeBytes(of: presence.load(as: UInt8.self) | 1 << UInt8(slot & 7), as: UInt8.self)
                piece.write(to: row + end)
                end += piece.byteCount
            }
            setEnd(end, of: slot, in: row)
            slot += 1
        }
        while slot < slotCount {
            setEnd(end, of: slot, in: row)
            slot += 1
        }
        assert(end == byteCount, "the row is as long as it was measured")
    }

    @inline(__always)
    private func setEnd(_ end: Int, of slot: Int, in row: UnsafeMutableRawPointer) {
        if isWide {
            row.storeBytes(
                of: UInt32(truncatingIfNeeded: end).littleEndian, toByteOffset: tableOffset + slot * 4, as: UInt32.self)
        } else {
            row.storeBytes(
                of: UInt16(truncatingIfNeeded: end).littleEndian, toByteOffset: tableOffset + slot * 2, as: UInt16.self)
        }
    }
}
