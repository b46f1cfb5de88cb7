internal import TidelogFoundation

/// A directory with the files that were generated from a schema. The directory may also contain other files.
package struct GeneratedDirectory: Sendable {
    /// The changes that bring a directory up to date with a set of generated files.
    package struct Changes: Sendable, Hashable {
        /// The names of the files that are new or have a different text.
        package var written: [String] = []
        /// The names of the files that were generated earlier from the same schema, for types that no longer exist.
        package var removed: [String] = []
        /// The names of the files that are already up to date.
        package var unchanged: [String] = []

        /// Whether no file needs to be written or removed.
        package var isEmpty: Bool { written.isEmpty && removed.isEmpty }
    }

    private let url: URL

    /// Makes a value for the directory at `path`. The directory does not need to exist.
    package init(_ path: String) { url = URL(filePath: path, directoryHint: .isDirectory) }

    /// The changes that ``hold(_:)`` would make.
    ///
    /// - Throws: ``GeneratedDirectory.Failure`` if the directory has a file of the same name that was not generated; errors of
    ///   the file system.
    package func changes(toHold files: [SwiftSource.File]) throws -> Changes {
        var changes = Changes()
        for file in files {
            guard let present = try text(of: file.name) else {
                changes.written.append(file.name)
                continue
            }
            if present == file.text {
                changes.unchanged.append(file.name)
            } else if SwiftSource.isGenerated(present) {
                changes.written.append(file.name)
            } else {
                throw Failure(
                    "\(url.appending(path: file.name).path(percentEncoded: false)) was not generated and would be lost",
                    recovery: "Choose a directory of its own for the generated files, or move the file.")
            }
        }
        guard let header = files.first?.text.prefix(while: { !$0.isNewline }) else { return changes }
        let kept = Set(files.map(\.name))
        for name in try names() where name.hasSuffix(".swift") && !kept.contains(name) {
            guard let present = try text(of: name), present.prefix(while: { !$0.isNewline }) == header else { continue }
            changes.removed.append(name)
        }
        return changes
    }

    /// Makes the directory contain `files`. The method writes new and changed files. It removes files that were generated from
    /// the same schema for types that no longer exist. It does not touch any other file.
    ///
    /// - Throws: The errors of ``changes(toHold:)``, before any file is changed.
    package func hold(_ files: [SwiftSource.File]) throws -> Changes {
        let changes = try changes(toHold: files)
        let written = Set(changes.written)
        if !changes.isEmpty { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        for file in files where written.contains(file.name) { try write(file) }
        for name in changes.removed { try FileManager.default.removeItem(at: url.appending(path: name)) }
        return changes
    }

    private func write(_ file: SwiftSource.File) throws {
        try Data(file.text.utf8).write(to: url.appending(path: file.name), options: .atomic)
    }

    private func names() throws -> [String] {
        let path = url.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    private func text(of name: String) throws -> String? {
        let file = url.appending(path: name)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    /// The reason why sources were not generated.
    package struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The problem.
        package let message: String
        /// How to solve the problem.
        package let recovery: String

        /// Makes an error with a problem and its solution.
        package init(_ message: String, recovery: String) {
            self.message = message
            self.recovery = recovery
        }

        /// The problem.
        package var description: String { message }
    }
}
