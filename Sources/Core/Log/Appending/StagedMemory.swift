/// A growing array of plain values that is used again, for example for the staged events of a group.
///
/// The elements are reached through one pointer. With an array in a class, Swift would check each access for
/// exclusiveness and would count references. For each event, this would cost more than all other work.
///
/// This is sound because the owner frees the memory at its end, and keeps no copy of this value that lives longer.
struct StagedMemory<Element> {
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage {
        var base: UnsafeMutablePointer<Element>
        var capacity: Int
        var count = 0
    }

    init(capacity: Int) {
        precondition(capacity > 0, "memory that doubles is not empty")
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(base: .allocate(capacity: capacity), capacity: capacity))
    }

    func deallocate() {
        removeAll(from: 0)
        storage.pointee.base.deallocate()
        storage.deallocate()
    }

    var count: Int {
        @inline(__always) get { storage.pointee.count }
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < storage.pointee.count, "there are fewer")
            return storage.pointee.base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < storage.pointee.count, "there are fewer")
            storage.pointee.base[index] = newValue
        }
    }

    @inline(__always)
    func append(_ element: Element) {
        if storage.pointee.count == storage.pointee.capacity { move(toCapacity: storage.pointee.capacity * 2) }
        (storage.pointee.base + storage.pointee.count).initialize(to: element)
        storage.pointee.count += 1
    }

    /// Removes all elements but the first `count`.
    func removeAll(from count: Int) {
        precondition(count >= 0 && count <= storage.pointee.count, "there are fewer")
        (storage.pointee.base + count).deinitialize(count: storage.pointee.count - count)
        storage.pointee.count = count
    }

    /// Replaces the contents by `count` copies of `element`.
    func fill(with element: Element, count: Int) {
        removeAll(from: 0)
        if count > storage.pointee.capacity { move(toCapacity: count) }
        storage.pointee.base.initialize(repeating: element, count: count)
        storage.pointee.count = count
    }

    /// Frees memory for more than `limit` elements, if it is not in use.
    func shrink(to limit: Int) {
        precondition(limit > 0, "memory that doubles is not empty")
        if storage.pointee.capacity > limit, storage.pointee.count <= limit { move(toCapacity: limit) }
    }

    @inline(never)
    private func move(toCapacity capacity: Int) {
        assert(capacity >= storage.pointee.count, "the held bytes fit the new memory")
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        moved.moveInitialize(from: storage.pointee.base, count: storage.pointee.count)
        storage.pointee.base.deallocate()
        storage.pointee.base = moved
        storage.pointee.capacity = capacity
    }
}
