import Foundation

/// A `tidelog serve` with the tutorial's schema. It ends when this object is deallocated.
final class TutorialServer {
    static let key = "da2-0123456789"

    let endpoint: URL
    private let process = Process()

    init(in directory: URL) throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // The program is where the tests were built.
        let places =
            [Bundle.main.bundleURL] + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let program = places.map { $0.appending(path: "tidelog") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        let output = Pipe()
        process.executableURL = program
        process.arguments = [
            "serve", package.appending(path: "Sources/TidePools/schema.graphql").path, "--store",
            directory.appending(path: "served").path, "--port", "0", "--api-key", Self.key, "--conflict", "optimistic",
            "--json",
        ]
        process.standardOutput = output
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        guard let match = text.firstMatch(of: /"endpoint":"([^"]+)"/),
            let endpoint = URL(string: String(match.1).replacing("\\/", with: "/"))
        else { throw CocoaError(.fileReadUnknown) }
        self.endpoint = endpoint
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }
}
