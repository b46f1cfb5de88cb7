/// A growing run of raw bytes that is filled from the front and reused.
///
/// Owned by one writer at a time; pointers into it are valid until the next reservation.
package final class ByteArena {
    /// Apart from the object, so that each access is a load and not a checked access to a class's property.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage {
        var base: UnsafeMutableRawPointer
        var capacity: Int
        var count: Int
    }

    package init(capacity: Int = 4_096) {
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: Storage(base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity, count: 0))
    }

    deinit {
        storage.pointee.base.deallocate()
        storage.deallocate()
    }

    package var base: UnsafeMutableRawPointer {
        @inline(__always) get { storage.pointee.base }
    }

    package var count: Int {
        @inline(__always) get { storage.pointee.count }
        @inline(__always) set { storage.pointee.count = newValue }
    }

    /// Makes sure that `byteCount` more bytes fit, and returns where they go.
    @inline(__always)
    @discardableResult
    package func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
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
    package func append(_ bytes: UnsafeRawBufferPointer) {
        let target = reserve(bytes.count)
        if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        storage.pointee.count += bytes.count
    }

    /// Gives memory beyond `limit` bytes back, so that one large write does not pin its size for ever.
    package func shrink(to limit: Int) {
        if storage.pointee.capacity > limit, storage.pointee.count <= limit { move(toCapacity: limit) }
    }

    package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        assert(range.upperBound <= count, "the range lies inside the arena")
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}
