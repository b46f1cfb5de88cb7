/// A growing run of raw bytes that is filled from the front and reused.
///
/// Owned by one writer at a time; pointers into it are valid until the next reservation.
package final class ByteArena {
    /// The bytes, apart from the object, so that each access is a load and not a checked access to a class's property.
    let memory: ArenaMemory

    package init(capacity: Int = 4_096) { memory = ArenaMemory(capacity: capacity) }

    deinit { memory.deallocate() }

    package var base: UnsafeMutableRawPointer {
        @inline(__always) get { memory.base }
    }

    package var count: Int {
        @inline(__always) get { memory.count }
        @inline(__always) set { memory.count = newValue }
    }

    /// Makes sure that `byteCount` more bytes fit, and returns where they go.
    @inline(__always)
    @discardableResult
    package func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer { memory.reserve(byteCount) }

    @inline(__always)
    package func append(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

    /// Gives memory beyond `limit` bytes back, so that one large write does not pin its size for ever.
    package func shrink(to limit: Int) { memory.shrink(to: limit) }

    package subscript(range: Range<Int>) -> UnsafeRawBufferPointer { memory[range] }
}

/// The bytes of an arena without the object that owns them: what encoders write through, which pay for no reference.
///
/// Sound because the code that encodes into an arena reads the result from that arena afterwards, and so keeps it.
struct ArenaMemory {
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage {
        var base: UnsafeMutableRawPointer
        var capacity: Int
        var count: Int
    }

    fileprivate init(capacity: Int) {
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity, count: 0))
    }

    fileprivate func deallocate() {
        storage.pointee.base.deallocate()
        storage.deallocate()
    }

    var base: UnsafeMutableRawPointer {
        @inline(__always) get { storage.pointee.base }
    }

    /// The end of the memory.
    var limit: UnsafeMutableRawPointer {
        @inline(__always) get { storage.pointee.base + storage.pointee.capacity }
    }

    var count: Int {
        @inline(__always) get { storage.pointee.count }
        @inline(__always) nonmutating set { storage.pointee.count = newValue }
    }

    @inline(__always)
    @discardableResult
    func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let count = storage.pointee.count
        if count + byteCount > storage.pointee.capacity {
            move(toCapacity: max(storage.pointee.capacity * 2, count + byteCount))
        }
        return storage.pointee.base + count
    }

    @inline(never)
    private func move(toCapacity capacity: Int) {
        let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        moved.copyMemory(from: storage.pointee.base, byteCount: storage.pointee.count)
        storage.pointee.base.deallocate()
        storage.pointee.base = moved
        storage.pointee.capacity = capacity
    }

    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) {
        let target = reserve(bytes.count)
        if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        storage.pointee.count += bytes.count
    }

    /// Appends the UTF-8 bytes of `text`.
    @inline(__always)
    func append(_ text: String) {
        // `withUTF8` wants a copy of its own, which costs more than the bytes do.
        let isAppended: Void? = text.utf8.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
        if isAppended == nil { appendBridged(text) }
    }

    /// Appends the UTF-8 bytes of a text that does not hold them in one piece.
    @inline(never)
    private func appendBridged(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    fileprivate func shrink(to limit: Int) {
        if storage.pointee.capacity > limit, storage.pointee.count <= limit { move(toCapacity: limit) }
    }

    @inline(__always)
    subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        assert(range.upperBound <= count, "the range lies inside the arena")
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}
