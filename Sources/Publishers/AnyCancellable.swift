#if !canImport(Combine)
    import TidelogSynchronization

    /// Ends a subscription when it is cancelled or when the last reference to it is dropped.
    public final class AnyCancellable: Sendable, Hashable {
        private let action: Mutex<(@Sendable () -> Void)?>

        /// Makes a subscription that `cancel` ends.
        public init(_ cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

        deinit { cancel() }

        /// Ends the subscription. After this call no value is delivered, except a value whose delivery has already begun.
        public func cancel() {
            let action = action.withLock { action in
                let found = action
                action = nil
                return found
            }
            action?()
        }

        /// Whether both are the same subscription.
        public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

        /// Hashes the identity of the subscription.
        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
#endif
