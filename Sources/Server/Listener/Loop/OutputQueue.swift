/// Bytes that wait to be sent, in order.
struct OutputQueue {
    private var pieces: ArraySlice<[UInt8]> = []
    /// How much of the first piece is sent.
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        pieces.append(piece)
        count += piece.count
    }

    mutating func removeAll() { self = OutputQueue() }

    /// Calls `write` with the bytes that come first, at most as many as `room` holds, and takes them off. Small pieces are
    /// put together in `room`, so that they go out together.
    mutating func writeFirst(
        using room: UnsafeMutableRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard let first = pieces.first else { return true }
        if first.count - offset >= room.count || pieces.count == 1 {
            let taken = min(first.count - offset, room.count)
            let isWritten = first.withUnsafeBytes {
                write(UnsafeRawBufferPointer(rebasing: $0[offset..<(offset + taken)]))
            }
            drop(taken)
            return isWritten
        }
        var used = 0
        while used < room.count, let piece = pieces.first {
            let taken = min(piece.count - offset, room.count - used)
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: room[used...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + taken)]))
            }
            used += taken
            drop(taken)
        }
        return write(UnsafeRawBufferPointer(rebasing: room[..<used]))
    }

    private mutating func drop(_ taken: Int) {
        count -= taken
        offset += taken
        guard let first = pieces.first, offset == first.count else { return }
        offset = 0
        pieces.removeFirst()
        if pieces.isEmpty { pieces = [] }
    }
}
