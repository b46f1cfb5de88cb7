import Foundation

/// A child process for every engine and round. No engine then inherits the memory of another one, and each is measured alone.
enum RoundProcess {
    /// The URL of this program.
    static var executable: URL { URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]) }

    /// Starts a process that runs one round of `engine`, and returns its measurement.
    static func run(_ engine: String, _ arguments: [String]) throws -> Round {
        let process = Process()
        process.executableURL = executable
        process.arguments = ["round", engine] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw RoundFailure(engine: engine) }
        return try JSONDecoder().decode(Round.self, from: bytes)
    }

    /// Runs one round in this process.
    static func measure(_ name: String, _ options: Options) async throws -> Round {
        guard let workload = options.workload,
            let engine = Engines.all(options).first(where: { $0.name == name })
        else { throw UsageError("round needs an engine and --workload") }
        let directory = try WorkingDirectory(options.directory)
        defer { directory.remove() }
        let meter = Meter(directory.path)
        let size = engine.size(workload, options)
        let measured = try await engine.run(workload, size, in: directory.path, meter)
        meter.settle()
        guard var measured else { throw UsageError("\(name) has no part in \(workload.rawValue)") }
        measured.cost = meter.end()
        return Round(measured)
    }
}

/// The error for a round that ended without a result. Its process has already printed the reason.
struct RoundFailure: Error, CustomStringConvertible {
    let engine: String
    var description: String { "The round of \(engine) failed." }
}

enum Engines {
    /// All sides of the comparisons, with Tidelog first.
    static func all(_ options: Options) -> [any BenchmarkEngine] {
        let adapter = options.adapter
        let databases = options.database.map { DatabaseEngine.all(adapter, $0) as [any BenchmarkEngine] }
        let servers = databases ?? ServerEngine.all(adapter)
        return [
            TidelogEngine(adapter: adapter), TidelogEngine(adapter: adapter, setting: .observed),
            TidelogEngine(adapter: adapter, setting: .mainActor), RawLMDBEngine(), RawSQLiteEngine(),
            RawSQLiteEngine(isNormal: true),
            RawLMDBEngine(rebuildsFromLog: true), AmplifyEngine(usesWAL: false), AmplifyEngine(usesWAL: true),
        ] + CodecEngine.all + servers + SyncBenchmark.all(adapter, options.syncProtocol)
    }
}

/// A new directory for one engine. It is made in the requested directory or in the system's directory for temporary files.
struct WorkingDirectory {
    let path: String

    init(_ root: String?) throws {
        path = "\(Self.root(root))/tidelog-bench-\(getpid())-\(UInt32.random(in: 1 ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    static func root(_ root: String?) -> String { root ?? NSTemporaryDirectory() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
