import Foundation
import Tidelog

/// A side of the workload `server` with a database: servers over PostgreSQL, or PostgreSQL alone doing the same work.
///
/// Each round has a new database in the same cluster. The servers, their clients and PostgreSQL share the processors.
struct DatabaseEngine: PairedEngine {
    enum Part: String, CaseIterable, Sendable {
        /// Clients that each send one mutation after the other to one server.
        case mutations = "database-mutations"
        /// The statements of these mutations, sent by pgbench with as many connections as there are clients.
        case pgbench
        /// The same clients, half of them at each of two servers.
        case twoServers = "database-two-servers"
        /// The same posts, 25 in each document.
        case documents = "database-documents"
        /// A client that syncs all posts, page by page.
        case baseSync = "database-base-sync"
        /// The same rows, read by `COPY`.
        case copy = "database-copy"
    }

    let part: Part
    let adapter: Adapter
    /// The address of a database in which other databases can be created.
    let address: String

    static func all(_ adapter: Adapter, _ address: String) -> [DatabaseEngine] {
        Part.allCases.map { DatabaseEngine(part: $0, adapter: adapter, address: address) }
    }

    var name: String { part.rawValue }

    var other: String? {
        switch part {
        case .mutations: Part.pgbench.rawValue
        case .twoServers, .documents: Part.mutations.rawValue
        case .baseSync: Part.copy.rawValue
        case .pgbench, .copy: nil
        }
    }

    func takesPart(in workload: Workload) -> Bool { workload == .server }

    /// The number of mutations in a document, as many as a device sends.
    private static let documentSize = 25

    func size(_ workload: Workload, _ options: Options) -> WorkloadSize {
        switch part {
        case .mutations, .pgbench, .twoServers, .documents:
            let records = options.records ?? 32_000
            return WorkloadSize(
                records: records, batch: part == .documents ? Self.documentSize : 1,
                savers: min(options.savers ?? 64, records), durability: .full, operations: records)
        case .baseSync, .copy:
            let records = options.records ?? 100_000
            return WorkloadSize(
                records: records, batch: SyncClient.pageLimit, savers: 1, durability: .full, operations: records)
        }
    }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement? {
        let database = try BenchmarkDatabase(at: address)
        defer { database.remove() }
        var result = ClientResult()
        switch part {
        case .mutations, .documents: result = try await mutate(size, serverCount: 1, database, meter)
        case .twoServers: result = try await mutate(size, serverCount: 2, database, meter)
        case .baseSync:
            try await DatabasePosts(database.address).load(size.records)
            try database.settle()
            let server = try ServerProcess(database: database.address)
            meter.resume()
            result = try await ClientProcess.run(
                .baseSync, ports: [server.port], operations: size.records, clients: 1)
            meter.pause()
            _ = try server.stop()
        case .pgbench:
            let statements = try await DatabasePosts(database.address).statements
            let script = directory + "/creation.sql"
            try statements.write(toFile: script, atomically: true, encoding: .utf8)
            meter.resume()
            let rate = try database.pgbench(script, clients: size.savers, transactions: size.records / size.savers)
            meter.pause()
            result.operations = size.records / size.savers * size.savers
            result.seconds = Double(result.operations) / rate
        case .copy:
            try await DatabasePosts(database.address).load(size.records)
            try database.settle()
            meter.resume()
            result.seconds = try database.copySeconds()
            meter.pause()
            result.operations = size.records
        }
        return result.measurement(writing: size.records, likeThoseOf: PostGenerator(.server))
    }

    private func mutate(
        _ size: WorkloadSize, serverCount: Int, _ database: BenchmarkDatabase, _ meter: Meter
    ) async throws -> ClientResult {
        let servers = try (0..<serverCount).map { _ in try ServerProcess(database: database.address) }
        meter.resume()
        let result = try await ClientProcess.run(
            size.batch > 1 ? .documents : .mutations, ports: servers.map(\.port), operations: size.operations,
            clients: size.savers)
        meter.pause()
        for server in servers {
            guard try server.stop() == result.operations else {
                throw UsageError("a post that was acknowledged is not there")
            }
        }
        return result
    }
}
