#if canImport(Network)
    internal import Dispatch
    internal import Network
#endif

/// Tells a sync engine whether the device has a network.
package protocol NetworkMonitor: Sendable {
    /// Calls `changed` now if the state is known, and after each change.
    func start(_ changed: @escaping @Sendable (_ isAvailable: Bool) -> Void)

    /// Ends the calls.
    func stop()
}

#if canImport(Network)
    /// Follows the paths of the system. A path that is made only when it is needed counts as a network.
    package final class SystemNetworkMonitor: NetworkMonitor {
        private let monitor = NWPathMonitor()

        package init() {}

        package func start(_ changed: @escaping @Sendable (_ isAvailable: Bool) -> Void) {
            monitor.pathUpdateHandler = { changed($0.status != .unsatisfied) }
            monitor.start(queue: DispatchQueue(label: "tidelog.network"))
        }

        package func stop() { monitor.cancel() }
    }
#else
    /// The system tells nothing. Engines find out by trying, and apps may call ``SyncEngine/networkChanged(isAvailable:)``.
    package struct SystemNetworkMonitor: NetworkMonitor {
        package init() {}

        package func start(_ changed: @escaping @Sendable (_ isAvailable: Bool) -> Void) {}

        package func stop() {}
    }
#endif
