/// A growing run of raw bytes that is filled from the front and reused.
///
/// Owned by one writer at a time; pointers into it are valid until the next reservation.
package final class ByteArena {
    package private(set) var base: UnsafeMutableRawPointer
    package private(set) var capacity: Int
    package var count = 0

    package init(capacity: Int = 4_096) {
        base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { base.deallocate() }

    /// Makes sure that `byteCount` more bytes fit, and returns where they go.
    @inline(__always)
    @discardableResult
    package func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if count + byteCount > capacity { grow(to: count + byteCount) }
        return base + count
    }

    @inline(never)
    private func grow(to needed: Int) {
        let newCapacity = max(capacity * 2, needed)
        let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        newBase.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = newBase
        capacity = newCapacity
    }

    package func append(_ bytes: UnsafeRawBufferPointer) {
        let target = reserve(bytes.count)
        if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        count += bytes.count
    }

    /// Gives memory beyond `limit` bytes back, so that one large write does not pin its size for ever.
    package func shrink(to limit: Int) {
        guard capacity > limit, count <= limit else { return }
        let newBase = UnsafeMutableRawPointer.allocate(byteCount: limit, alignment: 16)
        newBase.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = newBase
        capacity = limit
    }

    package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
        assert(range.upperBound <= count, "the range lies inside the arena")
        return UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}
