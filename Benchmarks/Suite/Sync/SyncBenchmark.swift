import Foundation
import Tidelog

/// A side of the workloads `sync` and `sync-delayed`: a device that syncs with a server, or work that this is compared with.
/// The round's process is the device. The server runs in another process.
struct SyncBenchmark: PairedEngine {
    enum Part: String, CaseIterable, Sendable {
        /// An empty device receives all posts of the server.
        case base = "sync-base"
        /// The same posts, saved without a server.
        case batches = "engine-batches"
        /// A device sends the posts that were saved while it was offline.
        case drain = "sync-drain"
        /// The same posts, created by clients that only use sockets and keep no records.
        case bareClients = "bare-clients"
        /// The same as `sync-base`, over a network with a delay.
        case delayedBase = "sync-base-delayed"
        /// The same as `sync-drain`, over a network with a delay.
        case delayedDrain = "sync-drain-delayed"
        /// The same as `sync-base`, with a server whose API has no versions.
        case stampedBase = "sync-base-timestamps"
        /// The same as `sync-drain`, with a server whose API has no versions.
        case stampedDrain = "sync-drain-timestamps"
        /// Posts that are saved while an engine runs and sends them.
        case attached = "sync-attached"
        /// Posts that are saved while the engine has lost its server.
        case offline = "sync-offline"
        /// Posts that are saved in a store without an engine.
        case unattached = "unattached-savers"
    }

    let part: Part
    let adapter: Adapter

    /// - Parameter other: The protocol that is compared with the versioned one; `nil` for the other comparisons.
    static func all(_ adapter: Adapter, _ other: SyncProtocol?) -> [SyncBenchmark] {
        let stamped: [Part] = [.stampedBase, .stampedDrain]
        let parts = other == .timestamps ? [.base, .drain] + stamped : Part.allCases.filter { !stamped.contains($0) }
        return parts.map { SyncBenchmark(part: $0, adapter: adapter) }
    }

    private var kind: SyncProtocol { part == .stampedBase || part == .stampedDrain ? .timestamps : .versioned }

    var name: String { part.rawValue }

    var other: String? {
        switch part {
        case .base: Part.batches.rawValue
        case .drain: Part.bareClients.rawValue
        case .delayedBase, .stampedBase: Part.base.rawValue
        case .delayedDrain, .stampedDrain: Part.drain.rawValue
        case .attached, .offline: Part.unattached.rawValue
        case .batches, .bareClients, .unattached: nil
        }
    }

    func takesPart(in workload: Workload) -> Bool {
        switch part {
        case .base, .drain: workload == .sync || workload == .syncDelayed
        case .delayedBase, .delayedDrain: workload == .syncDelayed
        case .batches, .bareClients, .stampedBase, .stampedDrain, .attached, .offline, .unattached: workload == .sync
        }
    }

    /// How many connections the clients with bare sockets have, as many as an engine has requests in flight.
    private static let inFlight = 16

    /// The delay of the network in seconds.
    private static let delay = 0.3

    /// Stores are durable unless the options demand something else.
    func size(_ workload: Workload, _ options: Options) -> WorkloadSize {
        let durability = options.durability ?? .full
        // A run of all workloads at a small size does not wait long for the network.
        let (delayedBase, delayedDrain) = options.workload == nil ? (2_000, 200) : (10_000, 2_000)
        switch part {
        case .base, .batches, .delayedBase, .stampedBase:
            let records = options.records ?? (workload == .syncDelayed ? delayedBase : 100_000)
            return WorkloadSize(
                records: records, batch: SyncClient.pageLimit, savers: 1, durability: durability, operations: records)
        case .drain, .bareClients, .delayedDrain, .stampedDrain:
            // Each client creates the same number of posts.
            let clients = min(Self.inFlight, options.records ?? Self.inFlight)
            let records = (options.records ?? (workload == .syncDelayed ? delayedDrain : 10_000)) / clients * clients
            return WorkloadSize(
                records: records, batch: 1, savers: clients, durability: durability, operations: records)
        case .attached, .offline, .unattached:
            let records = options.records ?? 10_000
            return WorkloadSize(
                records: records, batch: 1, savers: min(options.savers ?? 1, records), durability: durability,
                operations: records)
        }
    }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement? {
        let engine = TidelogEngine(adapter: adapter)
        switch part {
        case .base, .delayedBase, .stampedBase: return try await fill(size, in: directory, meter)
        case .batches: return try await engine.run(.loadRandom, size, in: directory, meter)
        case .drain, .delayedDrain, .stampedDrain: return try await drain(size, in: directory, meter)
        case .bareClients: return try create(size, in: directory, meter)
        case .attached: return try await save(size, isOffline: false, in: directory, meter)
        case .offline: return try await save(size, isOffline: true, in: directory, meter)
        case .unattached: return try await engine.run(.savers, size, in: directory, meter)
        }
    }

    private func server(_ size: WorkloadSize, posts: Int, in directory: String) throws -> ServerProcess {
        let directory = directory + "/server"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return try ServerProcess(adapter, size.durability, kind, posts: posts, in: directory)
    }

    /// The network between the device and the server, if it has a delay.
    private func network(to server: ServerProcess) throws -> DelayedNetwork? {
        guard part == .delayedBase || part == .delayedDrain else { return nil }
        return try DelayedNetwork(toPort: server.port, delay: Self.delay)
    }

    private func fill(_ size: WorkloadSize, in directory: String, _ meter: Meter) async throws -> Measurement {
        let server = try server(size, posts: size.records, in: directory)
        let posts = try await DevicePosts(adapter, size, kind, in: directory)
        let store = posts.store
        let network = try network(to: server)
        let device = try Device(store, port: network?.port ?? server.port, records: size.records, kind)
        var result = ClientResult()
        meter.resume()
        let began = Clock.now()
        result.operations = try await device.sync().received
        _ = try await store.projectWaiting()
        result.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        result.latencies = device.pageLatencies(since: began)
        guard result.operations == size.records, try await posts.areComplete(size.records) else {
            throw ClientFailure("the device does not have the server's posts")
        }
        try await store.close()
        _ = try server.stop()
        return result.measurement(writing: size.records, likeThoseOf: PostGenerator(.sync))
    }

    private func drain(_ size: WorkloadSize, in directory: String, _ meter: Meter) async throws -> Measurement {
        let server = try server(size, posts: 0, in: directory)
        let posts = try await DevicePosts(adapter, size, kind, in: directory)
        let store = posts.store
        try await posts.save(size)
        let network = try network(to: server)
        let device = try Device(store, port: network?.port ?? server.port, records: size.records, kind)
        var result = ClientResult()
        meter.resume()
        let began = Clock.now()
        result.operations = try await device.sync().sent
        _ = try await store.projectWaiting()
        result.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        let ratio = device.secondToFirstHalf(since: began)
        guard result.operations == size.records, try await posts.areComplete(size.records) else {
            throw ClientFailure("\(result.operations) edits of \(size.records) were sent")
        }
        try await store.close()
        guard try server.stop() == size.records else { throw ClientFailure("the server lacks posts") }
        var measurement = result.measurement(writing: size.records, likeThoseOf: PostGenerator(.sync))
        measurement.secondToFirstHalf = ratio
        return measurement
    }

    private func create(_ size: WorkloadSize, in directory: String, _ meter: Meter) throws -> Measurement {
        let server = try server(size, posts: 0, in: directory)
        meter.resume()
        let result = try MutationClients(ports: [server.port], records: size.records, clients: size.savers).run()
        meter.pause()
        guard try server.stop() == result.operations else { throw ClientFailure("the server lacks posts") }
        return result.measurement(writing: size.records, likeThoseOf: PostGenerator(.sync))
    }

    private func save(
        _ size: WorkloadSize, isOffline: Bool, in directory: String, _ meter: Meter
    ) async throws -> Measurement {
        let server = try server(size, posts: 0, in: directory)
        let store = try await TidelogEngine(adapter: adapter).open(size, in: directory)
        let device = try Device(store, port: server.port, records: size.records, kind)
        try await device.start()
        if isOffline { _ = try server.stop() }
        let measurement = try await store.saveConcurrently(PostGenerator(.sync), size, meter, .plain)
        await device.stop()
        try await store.close()
        if !isOffline { _ = try server.stop() }
        return measurement
    }
}
