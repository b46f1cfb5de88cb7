import Foundation

/// The clients of a server, in a process of their own: what is counted of the server's process is the server's alone.
enum ClientProcess {
    /// What clients do.
    enum Work: String {
        case mutations
        case baseSync = "base-sync"
        case fanOut = "fan-out"
    }

    /// Lets a new process of so many clients do `work`, and returns what it measured.
    ///
    /// - Parameter operations: Mutations in all, or posts that are to be read.
    static func run(_ work: Work, port: Int, operations: Int, clients: Int) async throws -> ClientResult {
        let arguments = ["client", work.rawValue, "\(port)", "\(operations)", "\(clients)"]
        // Waiting blocks, and the server needs the threads that tasks run on.
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
        let port = try arguments.number("the port")
        let operations = try arguments.number("the number of operations")
        let clients = try arguments.number("the number of clients")
        switch work {
        case .mutations: return try MutationClients(port: port, records: operations, clients: clients).run()
        case .baseSync: return try SyncClient(port: port).run(expecting: operations)
        case .fanOut: return try FanOutClients(port: port, subscribers: clients, mutations: operations).run()
        }
    }
}

/// What clients measured.
struct ClientResult: Codable, Sendable {
    var operations = 0
    var seconds = 0.0
    /// Nanoseconds of each request.
    var latencies: [UInt64] = []
    /// Nanoseconds until the first of many clients had heard, if there are such.
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
