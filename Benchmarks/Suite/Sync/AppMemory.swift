import Foundation
import Tidelog

/// The anonymous memory of an app: a store that was synced with a server, a live query of 100 records, and the sync engine.
///
/// The first process of the app receives all posts. The second one opens the store, as an app does on each day after the first.
enum AppMemory {
    /// Runs the server and both processes of the app, and prints the memory of each.
    static func run(_ arguments: some Collection<String>) throws {
        var options = Arguments(arguments)
        var (count, adapter, directory) = (1_000_000, Adapter.lmdb, String?.none)
        while let option = options.next() {
            let value = try options.value(option)
            switch option {
            case "--records":
                guard let number = Int(value), number > 0 else { throw UsageError("--records is a number above 0") }
                count = number
            case "--adapter":
                guard let named = Adapter(rawValue: value) else { throw UsageError("--adapter is lmdb or sqlite") }
                adapter = named
            case "--directory": directory = value
            default: throw UsageError("memory has no option \(option)")
            }
        }
        let work = try WorkingDirectory(directory)
        defer { work.remove() }
        let served = work.path + "/server"
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
        let server = try ServerProcess(adapter, .relaxed, .versioned, posts: count, in: served)
        for part in ["first", "later"] {
            let process = Process()
            process.executableURL = RoundProcess.executable
            process.arguments = ["app", part, work.path + "/app", adapter.rawValue, "\(server.port)", "\(count)"]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ClientFailure("the app failed") }
        }
        _ = try server.stop()
    }

    /// The app. ``run(_:)`` starts a process for it.
    static func live(_ arguments: some Collection<String>) async throws {
        var arguments = Arguments(arguments)
        let (part, directory) = (try arguments.value("app"), try arguments.value("the directory"))
        let adapter = Adapter(rawValue: try arguments.value("the adapter"))
        let port = Int(try arguments.value("the port"))
        let count = Int(try arguments.value("the number of records"))
        guard let adapter, let port, let count else { throw UsageError("app is a part of memory") }
        let size = WorkloadSize(
            records: count, batch: SyncClient.pageLimit, savers: 1, durability: .full, operations: count)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        report(part, "began")
        let store = try await DevicePosts(adapter, size, .versioned, in: directory).store
        report(part, "opened the store")
        let device = try Device(store, port: port, records: count, .versioned)
        let best = Post.all.sorted(by: .descending(Post.keys.rating)).page(.first(100))
        let live = Task {
            var results = 0
            for try await result in store.store.observe(best) where result.items.count <= 100 { results += 1 }
            return results
        }
        try await device.start()
        report(part, "synced")
        guard try await store.count() == count else { throw ClientFailure("the app does not have the server's posts") }
        for number in 0..<100 { try await store.store.save(PostGenerator(.sync).post(number)) }
        report(part, "saved 100 records")
        try await Task.sleep(for: .seconds(3))
        report(part, "was idle for 3 s")
        live.cancel()
        await device.stop()
        try await store.close()
    }

    private static func report(_ part: String, _ moment: String) {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let kibibytes = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
            .flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first }.flatMap { Double($0) }
        let text = kibibytes.map { String(format: "%6.1f MiB", $0 / 1_024) } ?? "unknown"
        FileHandle.standardOutput.write(Data("\(part) start, \(moment): \(text) of anonymous memory\n".utf8))
    }
}
