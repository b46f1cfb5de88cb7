extension Sequence {
    /// Calls `body` with each element: where they lie side by side in the place where they are, since a copy would count
    /// references to all of its fields.
    @inline(__always)
    func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        let isDone: Void? = try withContiguousStorageIfAvailable { elements in try elements.forEachBorrowed(body) }
        if isDone != nil { return }
        for element in self { try body(element) }
    }
}

extension UnsafeBufferPointer where Element: ~Copyable {
    /// Calls `body` with each element where it is. Since elements need not be copyable here, the compiler makes no copies.
    @inline(__always)
    fileprivate func forEachBorrowed(_ body: (borrowing Element) throws -> Void) rethrows {
        for index in indices { try body(self[index]) }
    }
}
