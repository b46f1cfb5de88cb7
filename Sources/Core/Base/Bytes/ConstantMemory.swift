/// Memory that an object fills before other threads see it, and frees at its end.
///
/// Sound as `@unchecked Sendable`, because nothing writes to the memory after the `init` of its object.
struct ConstantMemory<Element>: @unchecked Sendable {
    let start: UnsafeMutablePointer<Element>
    private let count: Int

    /// Memory for `count` elements, which its object initializes.
    init(count: Int, alignment: Int = MemoryLayout<Element>.alignment) {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<Element>.stride, alignment: alignment)
        start = memory.bindMemory(to: Element.self, capacity: count)
        self.count = count
    }

    /// Memory that contains `elements`.
    init(_ elements: [Element]) {
        self.init(count: elements.count)
        _ = UnsafeMutableBufferPointer(start: start, count: count).initialize(from: elements)
    }

    @inline(__always)
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(elements) }

    /// Frees the memory of elements that need no deinitialization.
    func deallocate() { start.deallocate() }
}
