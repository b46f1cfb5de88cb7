import Foundation

/// A database for one round, with PostgreSQL's own programs for the work that servers are compared with.
struct BenchmarkDatabase {
    /// The address of the database.
    let address: String
    private let name: String
    /// The address of the database in which this one was created.
    private let root: String

    /// Creates a database in the cluster of the database at `root`.
    init(at root: String) throws {
        self.root = root
        name = "tidelog_bench_\(getpid())"
        guard var components = URLComponents(string: root), components.scheme?.hasPrefix("postgres") == true else {
            throw UsageError("--database needs an address that begins with postgres://")
        }
        components.path = "/" + name
        address = components.string ?? root
        _ = try Self.psql(["CREATE DATABASE \(name)"], at: root)
        let syncs = try Self.psql(["SHOW fsync", "SHOW synchronous_commit"], at: address)
        guard syncs == "on\non\n" else { throw UsageError("the cluster does not sync: its mutations are not durable") }
    }

    func remove() { _ = try? Self.psql(["DROP DATABASE \(name) WITH (FORCE)"], at: root) }

    /// Leaves no work of the filling for the timed part.
    func settle() throws { _ = try Self.psql(["VACUUM ANALYZE", "CHECKPOINT"], at: address) }

    /// Runs the transactions of a script, and returns how many were made in a second.
    func pgbench(_ script: String, clients: Int, transactions: Int) throws -> Double {
        let output = try Self.run(
            "pgbench",
            [
                "--no-vacuum", "--protocol=prepared", "--file=\(script)", "--client=\(clients)", "--jobs=1",
                "--transactions=\(transactions)", address,
            ])
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) }),
            output.contains("number of failed transactions: 0 ")
        else { throw ClientFailure("pgbench failed: \(output)") }
        return rate
    }

    /// The seconds in which all posts are read by `COPY`.
    func copySeconds() throws -> Double {
        let copy = #"COPY tidelog."Post" TO STDOUT"#
        let output = try Self.psql(["\\timing on", copy], at: address, ["-o", "/dev/null"])
        let words = output.split { $0 == " " || $0 == "\n" }
        guard let index = words.firstIndex(of: "Time:"), let milliseconds = Double(words[index + 1]) else {
            throw ClientFailure("psql gave no time: \(output)")
        }
        return milliseconds / 1_000
    }

    private static func psql(_ commands: [String], at address: String, _ options: [String] = []) throws -> String {
        try run("psql", ["-X", "-q", "-t", "-A"] + options + commands.flatMap { ["-c", $0] } + [address])
    }

    /// Runs a program of PostgreSQL, and returns its output.
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ClientFailure("\(program) failed") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
