import Foundation

/// A running program that was built with the tests. It runs in a directory, and its input and output are pipes.
final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var bytes: [UInt8] = []

    init(_ name: String, _ arguments: [String] = [], in directory: URL) throws {
        // Output to a pipe waits in a buffer. An app that imports only the facade cannot empty this buffer, so `stdbuf` makes
        // it one line long.
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["stdbuf", "-oL", try Self.directory().appending(path: name).path] + arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["XDG_DATA_HOME": directory.path, "HOME": directory.path]
        ) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The directory in which the tests and the programs were built.
    private static func directory() throws -> URL {
        let places = [Bundle.main.bundleURL] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for place in places where FileManager.default.fileExists(atPath: place.appending(path: "tidelog").path) {
            return place
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// The next line of the output; `nil` at its end.
    func readLine() -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return nil }
            bytes += data
        }
    }

    /// Reads lines until one of them is `line`.
    ///
    /// - Returns: Whether the output has this line.
    func reads(_ line: String) -> Bool {
        while let next = readLine() { if next == line { return true } }
        return false
    }

    func type(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Closes the input, and waits until the program ends. Returns the last line of the output, or the exit status if it is not
    /// 0.
    func finish() throws -> String? {
        try input.fileHandleForWriting.close()
        var last: String?
        while let line = readLine() { last = line }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? last : "exit \(process.terminationStatus)"
    }

    /// Asks the program to end, and waits until it does. Returns its exit status.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
