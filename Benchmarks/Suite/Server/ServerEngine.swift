@_spi(Adapters) import Tidelog
internal import TidelogCore
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogServer

/// A side of the workload `server`: a server with its clients in another process, or the engine alone doing the same work.
struct ServerEngine: PairedEngine {
    enum Part: String, CaseIterable, Sendable {
        /// Clients that each send one mutation after the other.
        case mutations = "server-mutations"
        /// The same posts, saved by the same number of savers without a server.
        case savers = "engine-savers"
        /// A client that syncs all posts, page by page.
        case baseSync = "server-base-sync"
        /// The same with a filter that keeps 1 % of the posts.
        case filteredSync = "server-filtered-sync"
        /// Clients that receive each post that another client creates. There is no engine to compare this with.
        case fanOut = "server-fan-out"
        /// The same rows, written as JSON without a server.
        case rows = "engine-json-rows"
    }

    let part: Part
    let adapter: Adapter

    static func all(_ adapter: Adapter) -> [ServerEngine] {
        Part.allCases.map { ServerEngine(part: $0, adapter: adapter) }
    }

    var name: String { part.rawValue }

    var other: String? {
        switch part {
        case .mutations: Part.savers.rawValue
        case .baseSync: Part.rows.rawValue
        case .filteredSync: Part.baseSync.rawValue
        case .savers, .rows, .fanOut: nil
        }
    }

    func takesPart(in workload: Workload) -> Bool { workload == .server }

    /// How many posts are created one after the other. All subscribers receive a post before the next is created.
    private static let fanOuts = 10

    /// Mutations are durable unless the options demand something else. A sync only reads, in pages of 1,000.
    func size(_ workload: Workload, _ options: Options) -> WorkloadSize {
        switch part {
        case .mutations, .savers:
            let records = options.records ?? (options.workload == nil ? 5_000 : 32_000)
            return WorkloadSize(
                records: records, batch: 1, savers: min(options.savers ?? 64, records),
                durability: options.durability ?? .full, operations: records)
        case .fanOut:
            // The records of this part are the subscribers.
            return WorkloadSize(
                records: options.records ?? (options.workload == nil ? 500 : 5_000), batch: 1, savers: 1,
                durability: options.durability ?? .full, operations: Self.fanOuts)
        case .baseSync, .filteredSync, .rows:
            let records = options.records ?? 100_000
            return WorkloadSize(
                records: records, batch: SyncClient.pageLimit, savers: 1, durability: options.durability ?? .relaxed,
                operations: records)
        }
    }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement? {
        switch part {
        case .savers: return try await TidelogEngine(adapter: adapter).run(.savers, size, in: directory, meter)
        case .mutations: return try await mutate(.mutations, size, clients: size.savers, in: directory, meter)
        case .fanOut: return try await mutate(.fanOut, size, clients: size.records, in: directory, meter)
        case .baseSync: return try await sync(.baseSync, size, in: directory, meter)
        case .filteredSync: return try await sync(.filteredSync, size, in: directory, meter)
        case .rows: return try await write(size, in: directory, meter)
        }
    }

    private func mutate(
        _ work: ClientProcess.Work, _ size: WorkloadSize, clients: Int, in directory: String, _ meter: Meter
    ) async throws -> Measurement {
        let served = try await ServedPosts(adapter, size.durability, in: directory)
        let server = try await served.start()
        meter.resume()
        let result = try await ClientProcess.run(
            work, ports: [server.port], operations: size.operations, clients: clients)
        meter.pause()
        await server.stop()
        let count = try await served.store.read { try $0.count(Record.all(of: "Post")) }
        try await served.store.close()
        guard count == result.latencies.count else { throw UsageError("a post that was acknowledged is not there") }
        return result.measurement(writing: count, likeThoseOf: PostGenerator(.server))
    }

    private func sync(
        _ work: ClientProcess.Work, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement {
        let served = try await ServedPosts(adapter, size.durability, in: directory)
        try await served.load(size.records)
        let server = try await served.start()
        meter.resume()
        let result = try await ClientProcess.run(work, ports: [server.port], operations: size.records, clients: 1)
        meter.pause()
        await server.stop()
        try await served.store.close()
        return result.measurement(writing: size.records, likeThoseOf: PostGenerator(.server))
    }

    /// Writes the rows as JSON, page by page into the same memory, in the form in which they are sent.
    private func write(_ size: WorkloadSize, in directory: String, _ meter: Meter) async throws -> Measurement {
        let served = try await ServedPosts(adapter, size.durability, in: directory)
        try await served.load(size.records)
        var result = ClientResult()
        meter.resume()
        let began = Clock.now()
        let count = try await served.store.read { snapshot in
            guard let model = snapshot.layout.model(named: "Post") else { throw UsageError("the store has no posts") }
            let rows = RowJSONWriter(layout: model)
            var writer = JSONWriter()
            var count = 0
            try snapshot.forEachRow(Record.all(of: model.name)) { row, _ in
                if count % size.batch == 0 { writer.removeAll(); writer.beginArray() }
                try rows.write(row.row, to: &writer)
                count += 1
                return true
            }
            return count
        }
        result.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        result.operations = count
        try await served.store.close()
        guard count == size.records else { throw UsageError("rows are missing") }
        return result.measurement(writing: count, likeThoseOf: PostGenerator(.server))
    }
}
