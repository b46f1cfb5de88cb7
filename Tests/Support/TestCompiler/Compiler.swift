internal import FaultHarness
package import Foundation

/// Runs the Swift compiler on files that import the modules of this build.
package enum Compiler {
    /// The folder of this package.
    package static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Checks `files` with the strictest settings, which make warnings errors. Returns the compiler's errors; an empty text if
    /// there are none.
    package static func findings(in files: [(name: String, text: String)]) throws -> String {
        try withFolder { folder in
            let paths = try files.map { file in
                let url = folder.appending(path: file.name)
                try Data(file.text.utf8).write(to: url)
                return url.path
            }
            return try run(["-typecheck"] + paths)
        }
    }

    /// Calls `body` with the path of a new folder, and then removes the folder.
    package static func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "compiled-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Runs the compiler with the strictest settings. Returns its errors; an empty text if there are none.
    package static func run(_ arguments: [String]) throws -> String {
        let products = try BuildProducts.url(of: "Modules").deletingLastPathComponent()
        let system = repository.appending(path: "Sources/System")
        // The same LMDB as this build's.
        let lmdb =
            ProcessInfo.processInfo.environment["TIDELOG_LMDB"].map {
                URL(filePath: $0).appending(path: "Sources/CLMDB/include")
            } ?? system.appending(path: "CLMDB")
        let (status, text) = try Program.run(
            "swiftc",
            arguments + [
                "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny",
                "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature",
                "MemberImportVisibility", "-I", products.appending(path: "Modules").path, "-I",
                lmdb.path, "-I", system.appending(path: "CSystem").path, "-I",
                system.appending(path: "CSQLite").path, "-I", system.appending(path: "CCurl").path, "-Xcc",
                "-fmodule-map-file=\(products.appending(path: "CChecksum.build/module.modulemap").path)", "-Xcc",
                "-fmodule-map-file=\(products.appending(path: "CMount.build/module.modulemap").path)",
            ])
        return status == 0 ? "" : "exit \(status): \(text)"
    }
}
