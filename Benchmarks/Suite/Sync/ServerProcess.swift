import Foundation
import Tidelog
internal import TidelogServer

/// A server in a child process, so that the costs of the round's process belong to the device alone.
final class ServerProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The port of the server.
    private(set) var port = 0

    /// Starts a server whose store in `directory` has `posts` posts. The server is ready when this initializer returns.
    init(
        _ adapter: Adapter, _ durability: Durability, _ kind: SyncProtocol, posts: Int, in directory: String
    ) throws {
        try start(["serve", directory, adapter.rawValue, durability.name, kind.rawValue, "\(posts)"])
    }

    /// Starts a server over the database at an address.
    init(database: String) throws { try start(["serve", database]) }

    private func start(_ arguments: [String]) throws {
        process.executableURL = RoundProcess.executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        port = try number()
    }

    deinit { try? input.fileHandleForWriting.close() }

    /// Stops the server, and returns how many posts it has.
    func stop() throws -> Int {
        try input.fileHandleForWriting.write(contentsOf: Self.end)
        let count = try number()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ClientFailure("the server failed") }
        return count
    }

    /// The next line of the child's output, which is a number.
    private func number() throws -> Int {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw ClientFailure("the server failed") }
        return number
    }

    // MARK: The child process

    private static let end = Data("end\n".utf8)

    /// Runs the server until the parent process asks it to stop or ends.
    static func serve(_ arguments: some Collection<String>) async throws {
        var arguments = Arguments(arguments)
        let directory = try arguments.value("serve")
        guard !directory.hasPrefix("postgres") else { return try await serve(database: directory) }
        let (adapter, durability) = (try arguments.value("the adapter"), try arguments.value("the durability"))
        let kind = try arguments.value("the kind of the API")
        guard let adapter = Adapter(rawValue: adapter),
            let durability = Durability.allCases.first(where: { $0.name == durability }),
            let kind = APIKind(rawValue: kind), let posts = Int(try arguments.value("the number of posts"))
        else { throw UsageError("serve needs a directory, an adapter, a durability, a kind and a number of posts") }
        let served = try await ServedPosts(adapter, durability, kind, in: directory)
        try await served.load(posts)
        Flushing.flush(directory)
        let server = try await served.start()
        try await serveToEnd(server)
        let count = try await served.store.read { try $0.count(Record.all(of: "Post")) }
        try await served.store.close()
        try show(count)
    }

    private static func serve(database: String) async throws {
        let posts = try await DatabasePosts(database)
        try await serveToEnd(try await posts.start())
        try show(try await posts.count())
    }

    /// Shows the port, and waits until the parent process ends or asks the server to stop.
    private static func serveToEnd(_ server: Server) async throws {
        try show(server.port)
        await withCheckedContinuation { continuation in
            // Waiting blocks the thread, and the server needs the threads on which tasks run.
            Thread.detachNewThread {
                _ = try? FileHandle.standardInput.read(upToCount: end.count)
                continuation.resume()
            }
        }
        await server.stop()
    }

    /// Writes a line to the standard output.
    private static func show(_ number: Int) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
    }
}
