internal import FaultHarness
internal import Foundation

/// A PostgreSQL cluster for the tests of this process. It is stopped and removed after the process has ended.
///
/// Tests that need it are skipped if PostgreSQL is not installed.
package final class PostgresCluster: Sendable {
    /// The directory of the cluster.
    package let directory: String
    /// The address of the cluster's database `postgres`.
    package let address: String

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "scripts/shared/postgres").path

    /// Whether PostgreSQL is installed. If not, a message says so.
    package static let isInstalled: Bool = {
        let search = "ls /usr/lib/postgresql/*/bin/initdb || command -v initdb"
        let found = (try? Program.run("bash", ["-c", search]))?.status == 0
        if !found { print("PostgreSQL is not installed, so its tests are skipped: scripts/shared/postgres install") }
        return found
    }()

    /// The program `psql` itself. Debian's command of this name is a script that takes longer than a statement.
    private static let psql: String = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        guard let newest = versions.compactMap(Int.init).max() else { return "psql" }
        return "/usr/lib/postgresql/\(newest)/bin/psql"
    }()

    /// The cluster that all tests of this process share.
    package static let shared = Result { try PostgresCluster() }

    /// Starts a cluster of its own.
    package init() throws {
        // The path of a socket has at most 107 bytes.
        directory = "/tmp/tidelog-postgres.\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        address = try Self.output(
            Self.script, ["start", directory, "\(ProcessInfo.processInfo.processIdentifier)"])
    }

    private static func output(_ program: String, _ arguments: [String]) throws -> String {
        let child = try ChildProcess(URL(filePath: "/usr/bin/env"), [program] + arguments)
        let exit = try child.wait(within: .seconds(120))
        guard exit == .exited(0) else { throw Failure(description: "\(program) \(arguments): \(child.errorText)") }
        return child.lines.joined(separator: "\n")
    }

    /// Makes an empty database, and returns its address.
    package func makeDatabase() throws -> String {
        let name = "t" + UUID().uuidString.filter(\.isHexDigit).lowercased()
        try run("CREATE DATABASE \(name)")
        return address.replacing("/postgres?", with: "/\(name)?")
    }

    /// The address of an empty database of the shared cluster.
    package static func makeDatabase() throws -> String { try shared.get().makeDatabase() }

    /// Runs SQL with `psql`, and returns its output.
    @discardableResult
    package func run(_ sql: String) throws -> String { try Self.run(sql, on: address) }

    /// Runs SQL with `psql` in the database at `address`, and returns its output.
    @discardableResult
    package static func run(_ sql: String, on address: String) throws -> String {
        try output(psql, [address, "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-c", sql])
    }

    /// Stops the cluster: `immediate`, as a power loss does, or `fast`.
    package func halt(_ mode: String = "immediate") throws {
        _ = try Self.output(Self.script, ["halt", directory, mode])
    }

    /// Starts the cluster again after ``halt(_:)``.
    package func start() throws { _ = try Self.output(Self.script, ["start", directory]) }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }
}
