import Foundation

/// The clients of a server, in a child process. The costs that are measured in the server's process then belong to the server
/// alone.
enum ClientProcess {
    /// The work of the clients.
    enum Work: String {
        case mutations
        case documents
        case baseSync = "base-sync"
        case filteredSync = "filtered-sync"
        case fanOut = "fan-out"
    }

    /// Starts a process that does `work` with the given number of clients, and returns its measurement.
    ///
    /// - Parameters:
    ///   - ports: The ports of the servers. The clients are spread over them.
    ///   - operations: The total number of mutations, or the number of posts to read.
    static func run(_ work: Work, ports: [Int], operations: Int, clients: Int) async throws -> ClientResult {
        let ports = ports.map { "\($0)" }.joined(separator: ",")
        let arguments = ["client", work.rawValue, ports, "\(operations)", "\(clients)"]
        // Waiting blocks the thread, and the server needs the threads on which tasks run.
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try runAndWait(arguments) }) }
        }
    }

    private static func runAndWait(_ arguments: [String]) throws -> ClientResult {
        let process = Process()
        process.executableURL = RoundProcess.executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw RoundFailure(engine: arguments[1]) }
        return try JSONDecoder().decode(ClientResult.self, from: bytes)
    }

    /// Does the work in this process.
    static func measure(_ arguments: some Collection<String>) throws -> ClientResult {
        var arguments = Arguments(arguments)
        guard let work = Work(rawValue: try arguments.value("client")) else { throw UsageError("client needs a work") }
        let ports = try arguments.value("the ports").split(separator: ",").compactMap { Int($0) }
        guard let port = ports.first else { throw UsageError("client needs a port") }
        let operations = try arguments.number("the number of operations")
        let clients = try arguments.number("the number of clients")
        switch work {
        case .mutations: return try MutationClients(ports: ports, records: operations, clients: clients).run()
        case .documents:
            return try MutationClients(ports: ports, records: operations, clients: clients, documentSize: 25).run()
        case .baseSync: return try SyncClient(port: port).run(operations)
        case .filteredSync: return try SyncClient(port: port, ratingBound: SyncClient.onePercent).run(operations)
        case .fanOut: return try FanOutClients(port: port, subscribers: clients, mutations: operations).run()
        }
    }
}

/// The measurement of the clients.
struct ClientResult: Codable, Sendable {
    var operations = 0
    var seconds = 0.0
    /// The latency of each request in nanoseconds.
    var latencies: [UInt64] = []
    /// The nanoseconds until the first of many clients received a change, if the work has many clients.
    var firstLatencies: [UInt64] = []

    /// The measurement of work on `count` posts of `generator`.
    func measurement(writing count: Int, likeThoseOf generator: PostGenerator) -> Measurement {
        var measurement = Measurement()
        measurement.operations = operations
        measurement.seconds = seconds
        measurement.latencies = latencies
        measurement.firstLatencies = firstLatencies
        measurement.recordCount = count
        measurement.logicalBytes = count * PostEncoder().encode(generator.post(0)).count
        return measurement
    }
}
