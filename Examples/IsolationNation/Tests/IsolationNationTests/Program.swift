import Foundation

/// A running program that was built with the tests. Its input and output are pipes.
final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var bytes: [UInt8] = []

    init(_ name: String, _ arguments: [String]) throws {
        process.executableURL = try Self.directory().appending(path: name)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The directory in which the tests and the programs were built.
    private static func directory() throws -> URL {
        var directory = Bundle.main.bundleURL
        let places = [directory] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        for place in places where FileManager.default.fileExists(atPath: place.appending(path: "tidelog").path) {
            return place
        }
        directory.append(path: "tidelog")
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: directory.path])
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

    func type(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Closes the input, and waits until the program ends. Returns the lines that were not read yet. If the exit status is not
    /// 0, it is the last line.
    func finish() throws -> [String] {
        try input.fileHandleForWriting.close()
        var lines: [String] = []
        while let line = readLine() { lines.append(line) }
        process.waitUntilExit()
        return process.terminationStatus == 0 ? lines : lines + ["exit \(process.terminationStatus)"]
    }

    /// Asks the program to end, and waits until it does. Returns its exit status.
    func terminate() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
