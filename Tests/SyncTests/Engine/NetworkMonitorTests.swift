import Foundation
import TestWaiting
import Testing
import Tidelog
import TidelogSynchronization

@testable import TidelogSync

/// The network as the system reports it, here as a test reports it.
private final class ScriptedNetwork: NetworkMonitor {
    private let changed = Mutex<(@Sendable (Bool) -> Void)?>(nil)

    var isFollowed: Bool { changed.withLock { $0 != nil } }

    func start(_ changed: @escaping @Sendable (_ isAvailable: Bool) -> Void) { self.changed.withLock { $0 = changed } }

    func stop() { changed.withLock { $0 = nil } }

    func report(_ isAvailable: Bool) { changed.withLock { $0 }?(isAvailable) }
}

@Suite("The system's reports about the network", .timeLimit(.minutes(5)))
struct NetworkMonitorTests {
    private static func wait(for engine: SyncEngine, _ condition: (SyncStatus) -> Bool) async {
        for await status in engine.statuses where condition(status) { return }
    }

    @Test("an engine follows the network while it exists, and catches up when the network returns")
    func followed() async throws {
        try await Device.serve { port in
            let (device, other) = (try await Device(port), try await Device(port))
            let network = ScriptedNetwork()
            let engine = try SyncEngine(
                store: device.store, endpoint: URL(string: "http://127.0.0.1:\(port)/graphql"),
                authorization: .apiKey(Device.key), startup: .automatic, transport: SystemTransport(), network: network,
                notify: { _ in })
            await Self.wait(for: engine) { $0.state == .ready && $0.isOnline }
            network.report(false)
            await Self.wait(for: engine) { !$0.isOnline }
            try await device.save("1", ["title": "a"])
            try await other.save("2", ["title": "b"])
            try await other.sync()
            network.report(true)
            await Self.wait(for: engine) { $0.isOnline && $0.pending == 0 && $0.models.allSatisfy(\.isSynced) }
            #expect(try await device.post("2") == "b - ")
            await engine.stop()
        }
    }

    @Test("an engine that is released no longer follows the network")
    func released() async throws {
        let network = ScriptedNetwork()
        let device = try await Device(1)
        var engine: SyncEngine? = try SyncEngine(
            store: device.store, endpoint: URL(string: "http://127.0.0.1:1/graphql"),
            authorization: .apiKey(Device.key),
            startup: .manual, transport: SystemTransport(), network: network, notify: { _ in })
        #expect(network.isFollowed && engine != nil)
        engine = nil
        try await eventually { !network.isFollowed }
    }
}
