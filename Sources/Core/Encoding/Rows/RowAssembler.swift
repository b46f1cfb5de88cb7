/// Assembles rows for an adapter that keeps each field in its own column.
///
/// The result is the original row byte for byte, if the adapter passes in the original values (FORMATS, section 4).
///
/// For each row, call ``begin()``, then set the values in any order, then call ``write(at:)``. Values are copied from the
/// adapter's memory only when the row is written, so their bytes must stay valid until then. Do not set fields without a value.
/// The assembler can be used for many rows and does not allocate memory for them. Only one thread may use it at a time.
@_spi(Adapters) public final class RowAssembler {
    private let pieces: UnsafeMutableBufferPointer<Piece>

    /// A value that was set and not yet written.
    private struct Piece {
        enum Kind: UInt8 {
            case missing, word, flag, bytes, temporal
        }

        var kind = Kind.missing
        var nanoseconds: Int32 = 0
        /// The number, the truth value, or the seconds of the instant.
        var word: UInt64 = 0
        var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

        /// The number of bytes of the value in the row.
        var byteCount: Int {
            switch kind {
            case .missing: 0
            case .word: 8
            case .flag: 1
            case .bytes: bytes.count
            case .temporal: RowView.instantByteCount + bytes.count
            }
        }
    }

    /// An assembler of rows of `layout`. At first, all fields are missing.
    public init(_ layout: RowLayout) {
        pieces = .allocate(capacity: layout.slotCount)
        pieces.initialize(repeating: Piece())
    }

    deinit { pieces.deallocate() }

    /// Begins a row in which all fields are missing.
    @inline(__always)
    public func begin() { for slot in pieces.indices { pieces[slot].kind = .missing } }

    /// Sets the value in `slot` to `value`, an `Int` or an `AWSTimestamp`.
    @inline(__always)
    public func set(_ value: Int64, at slot: Int) { set(Piece(kind: .word, word: UInt64(bitPattern: value)), slot) }

    /// Sets the value in `slot` to `value`, a `Float`.
    @inline(__always)
    public func set(_ value: Double, at slot: Int) { set(Piece(kind: .word, word: value.bitPattern), slot) }

    /// Sets the value in `slot` to `value`, a `Boolean`.
    @inline(__always)
    public func set(_ value: Bool, at slot: Int) { set(Piece(kind: .flag, word: value ? 1 : 0), slot) }

    /// Sets the value in `slot` to encoded bytes: the UTF-8 bytes of a text, or for an embedded value or list the bytes that
    /// ``RowView/value(_:)`` returned.
    @inline(__always)
    public func set(_ bytes: UnsafeRawBufferPointer, at slot: Int) { set(Piece(kind: .bytes, bytes: bytes), slot) }

    /// Sets the value in `slot` to a temporal with its `instant` and its `text` in UTF-8.
    @inline(__always)
    public func set(_ instant: Temporal.Instant, _ text: UnsafeRawBufferPointer, at slot: Int) {
        let seconds = UInt64(bitPattern: instant.seconds)
        set(Piece(kind: .temporal, nanoseconds: instant.nanoseconds, word: seconds, bytes: text), slot)
    }

    @inline(__always)
    private func set(_ piece: Piece, _ slot: Int) {
        precondition(slot >= 0 && slot < pieces.count, "the layout has the slot")
        pieces[slot] = piece
    }

    /// Writes the row.
    ///
    /// - Parameter place: Gets the number of bytes of the row, and returns the memory for them.
    /// - Returns: The number of bytes of the row.
    @inline(__always)
    @discardableResult
    public func write(at place: (_ byteCount: Int) -> UnsafeMutableRawPointer) -> Int {
        let tableOffset = RowView.headerByteCount + (pieces.count + 7) / 8
        var byteCount = tableOffset + 2 * pieces.count
        for piece in pieces { byteCount += piece.byteCount }
        let isWide = byteCount > Int(UInt16.max)
        if isWide { byteCount += 2 * pieces.count }
        let end = write(to: place(byteCount), tableOffset: tableOffset, isWide: isWide)
        assert(end == byteCount, "the row is as long as it was measured")
        return byteCount
    }

    /// Writes the row to `row` and returns its end. Each entry of the table of ends has 4 bytes if the row `isWide`, otherwise
    /// 2.
    private func write(to row: UnsafeMutableRawPointer, tableOffset: Int, isWide: Bool) -> Int {
        row.initializeMemory(as: UInt8.self, repeating: 0, count: tableOffset)
        row.store(isWide ? RowView.version | RowView.wideFlag : RowView.version, at: 0)
        row.store(UInt16(truncatingIfNeeded: pieces.count), at: 2)
        let table = row + tableOffset
        var end = tableOffset + pieces.count * (isWide ? 4 : 2)
        for slot in pieces.indices {
            let piece = pieces[slot]
            if piece.kind != .missing {
                let presence = row + (RowView.headerByteCount + slot >> 3)
                presence.store(UnsafeRawPointer(presence).load(0, as: UInt8.self) | 1 << UInt8(slot & 7), at: 0)
                write(piece, to: row + end)
                end += piece.byteCount
            }
            if isWide {
                table.store(UInt32(truncatingIfNeeded: end), at: slot * 4)
            } else {
                table.store(UInt16(truncatingIfNeeded: end), at: slot * 2)
            }
        }
        return end
    }

    @inline(__always)
    private func write(_ piece: Piece, to target: UnsafeMutableRawPointer) {
        var text = target
        switch piece.kind {
        case .missing: return
        case .word: return target.store(piece.word, at: 0)
        case .flag: return target.store(UInt8(truncatingIfNeeded: piece.word), at: 0)
        case .bytes: break
        case .temporal:
            target.store(piece.word, at: 0)
            target.store(piece.nanoseconds, at: 8)
            text += RowView.instantByteCount
        }
        if let source = piece.bytes.baseAddress { text.copyMemory(from: source, byteCount: piece.bytes.count) }
    }
}
