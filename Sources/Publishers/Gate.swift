#if !canImport(Combine)
    import Synchronization

    /// Something that is open until it is closed.
    final class Gate: Sendable {
        private let state = Mutex(true)

        var isOpen: Bool { state.withLock { $0 } }

        /// Closes the gate, and says whether it was open.
        func close() -> Bool {
            state.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }
    }
#endif
