import FaultHarness
import Foundation

/// Runs the Swift compiler on files that import the modules of this build.
enum Compiler {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Checks `files` with the strictest settings, which make warnings errors. Returns the compiler's errors; an empty text if
    /// there are none.
    static func findings(in files: [(name: String, text: String)]) throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let paths = try files.map { file in
            let url = directory.appending(path: file.name)
            try Data(file.text.utf8).write(to: url)
            return url.path
        }
        let products = try BuildProducts.url(of: "Modules").deletingLastPathComponent()
        let system = repository.appending(path: "Sources/System")
        let (status, text) = try Program.run(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature",
                "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
                "MemberImportVisibility", "-I", products.appending(path: "Modules").path, "-I",
                system.appending(path: "CLMDB").path, "-I", system.appending(path: "CSQLite").path, "-I",
                system.appending(path: "CCurl").path, "-Xcc",
                "-fmodule-map-file=\(products.appending(path: "CChecksum.build/module.modulemap").path)", "-Xcc",
                "-fmodule-map-file=\(products.appending(path: "CMount.build/module.modulemap").path)",
            ] + paths)
        return status == 0 ? "" : "exit \(status): \(text)"
    }
}
