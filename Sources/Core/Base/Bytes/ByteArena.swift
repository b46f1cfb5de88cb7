/// A growing array of raw bytes that is filled from the front and used again.
///
/// One writer at a time owns it. Pointers into it are valid until the next reservation.
package final class ByteArena {
    /// The bytes are in a separate value. Each access is then a plain load, and not a checked access to a property of a class.
    let memory: Memory

    package init(capacity: Int = 4_096) { memory = Memory(capacity: capacity) }

    deinit { memory.deallocate() }

    package var base: UnsafeMutableRawPointer {
        @inline(__always) get { memory.base }
    }

    package var count: Int {
        @inline(__always) get { memory.count }
        @inline(__always) set { memory.count = newValue }
    }

    /// Makes sure that there is room for `byteCount` more bytes, and returns the address of this room.
    @inline(__always)
    @discardableResult
    package func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer { memory.reserve(byteCount) }

    @inline(__always)
    package func append(_ bytes: UnsafeRawBufferPointer) { memory.append(bytes) }

    /// Frees memory for more than `limit` bytes, so that one large write does not keep its memory permanently.
    package func shrink(to limit: Int) { memory.shrink(to: limit) }

    package subscript(range: Range<Int>) -> UnsafeRawBufferPointer { memory[range] }

    /// The bytes of an arena without the object that owns them. Encoders write through it, because it needs no counted
    /// reference.
    ///
    /// This is sound because the code that encodes into an arena reads the result from the same arena afterwards, which
    /// keeps the arena alive.
    struct Memory {
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

        /// The address after the last byte of the memory.
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
            // The method `withUTF8` would need a mutable copy of the text. Making it costs more than copying the bytes.
            let isAppended: Void? = text.utf8.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
            if isAppended == nil { appendBridged(text) }
        }

        /// Appends the UTF-8 bytes of a text that does not have them in contiguous memory.
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
}

/// Unaligned little-endian access to raw memory. The callers check the bounds.
extension UnsafeRawPointer {
    @inline(__always)
    @inlinable package func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func store<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }
}
