import Foundation

/// A program that was built with the tests and runs in a directory, with its input and output in pipes.
final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var bytes: [UInt8] = []

    init(_ name: String, _ arguments: [String] = [], in directory: URL) throws {
        // Output to a pipe waits in a buffer, which an app that imports only the facade cannot empty. `stdbuf` makes the
        // buffer one line long.
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

    /// The directory of the tests and the programs.
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

    /// Reads lines up to the first that is `line`.
    ///
    /// - Returns: Whether there is one.
    func reads(_ line: String) -> Bool {
        while let next = readLine() { if next == line { return true } }
        return false
    }

    func type(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Ends the input, and waits for the program's end; gives the last line of the output.
    func finish() throws -> String? {
        try input.fileHandleForWriting.close()
        var last: String?
        while let line = readLine() { last = line }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? last : "exit \(process.terminationStatus)"
    }

    /// Asks the program to end, and waits for that; gives its exit status.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
