#if !canImport(Combine)
    import Synchronization

    /// A gate that is open until it is closed.
    final class Gate: Sendable {
        private let state = Mutex(true)

        var isOpen: Bool { state.withLock { $0 } }

        /// Closes the gate, and returns whether it was open.
        func close() -> Bool {
            state.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }
    }
#endif
