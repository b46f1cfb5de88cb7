#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A directory with the files that were generated from a schema, perhaps among others.
public struct GeneratedDirectory: Sendable {
    /// What makes a directory hold certain files.
    public struct Changes: Sendable, Hashable {
        /// The names of the files that are new or have another text.
        public var written: [String] = []
        /// The names of the files that were generated from the same schema for types that are gone.
        public var removed: [String] = []
        /// The names of the files that are as they should be.
        public var unchanged: [String] = []

        /// Whether nothing is to be done.
        public var isEmpty: Bool { written.isEmpty && removed.isEmpty }
    }

    private let url: URL

    /// The directory at `path`, which need not exist.
    public init(_ path: String) { url = URL(filePath: path, directoryHint: .isDirectory) }

    /// What ``hold(_:)`` would do.
    ///
    /// - Throws: ``GenerationError`` if a file of the same name was not generated; errors of the file system.
    public func changes(toHold files: [GeneratedFile]) throws -> Changes {
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
                throw GenerationError(
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

    /// Makes the directory hold `files`: writes what is new or differs, removes what was generated from the same schema
    /// for types that are gone, and leaves everything else alone.
    ///
    /// - Throws: as ``changes(toHold:)``, before anything is touched.
    public func hold(_ files: [GeneratedFile]) throws -> Changes {
        let changes = try changes(toHold: files)
        let written = Set(changes.written)
        if !changes.isEmpty { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        for file in files where written.contains(file.name) { try write(file) }
        for name in changes.removed { try FileManager.default.removeItem(at: url.appending(path: name)) }
        return changes
    }

    private func write(_ file: GeneratedFile) throws {
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
}

/// Why sources were not generated.
public struct GenerationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let message: String
    /// What to do.
    public let recovery: String

    /// An error with what to do about it.
    public init(_ message: String, recovery: String) {
        self.message = message
        self.recovery = recovery
    }

    /// What is wrong.
    public var description: String { message }
}
