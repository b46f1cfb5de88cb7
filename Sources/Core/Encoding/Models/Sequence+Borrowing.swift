extension Sequence {
    /// Calls `body` with each element without copying it, if the elements are in contiguous memory.
    ///
    /// A copy of an element would count a reference for each of its fields.
    @inline(__always)
    func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        let isDone: Void? = try withContiguousStorageIfAvailable { elements in try elements.forEachBorrowed(body) }
        if isDone != nil { return }
        for element in self { try body(element) }
    }
}

extension UnsafeBufferPointer where Element: ~Copyable {
    /// Calls `body` with each element in place. The elements need not be copyable here, so the compiler makes no copies.
    @inline(__always)
    fileprivate func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        for index in indices { try body(self[index]) }
    }
}
