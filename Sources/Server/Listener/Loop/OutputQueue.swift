/// A queue of bytes to send.
struct OutputQueue {
    private var pieces: ArraySlice<[UInt8]> = []
    /// The number of bytes of the first piece that were already sent.
    private var offset = 0
    private(set) var count = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        pieces.append(piece)
        count += piece.count
    }

    mutating func removeAll() { self = OutputQueue() }

    /// Calls `write` with the first bytes, at most as many as `room` can hold, and removes them from the queue. Small pieces
    /// are copied to `room`, so that one call sends them together.
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
