import Foundation

/// The files of this repository, without build output and without hidden files except `.ci`.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The paths of all files, relative to the root, in order.
    static let paths: [String] = {
        var paths: [String] = []
        var pending = [""]
        while let directory = pending.popLast() {
            let url = root.appending(path: directory)
            for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] {
                guard !name.hasPrefix(".") || name == ".ci", name != "Package.resolved" else { continue }
                let path = directory.isEmpty ? name : "\(directory)/\(name)"
                var isDirectory: ObjCBool = false
                _ = FileManager.default.fileExists(atPath: root.appending(path: path).path, isDirectory: &isDirectory)
                if isDirectory.boolValue { pending.append(path) } else { paths.append(path) }
            }
        }
        return paths.sorted()
    }()

    private static let all = paths.map { path in
        // A file that is not text counts as empty, because no rule concerns its contents.
        SourceFile(path: path, text: (try? String(contentsOf: root.appending(path: path), encoding: .utf8)) ?? "")
    }

    /// The files whose names end in one of `endings`, below one of `folders`. Generated files are left out: the tests of the
    /// generator check their form.
    static func files(_ endings: String..., below folders: [String] = [""]) -> [SourceFile] {
        all.filter { file in
            !file.path.hasSuffix(".generated.swift") && endings.contains { file.path.hasSuffix($0) }
                && folders.contains { file.path.hasPrefix($0) }
        }
    }

    /// Whether there is a file or folder at `path`, relative to the root.
    static func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }
}

/// One file of the repository.
struct SourceFile {
    let path: String
    let text: String
    let lines: [Substring]
    /// The lines of Swift without comments and without the contents of string literals. There are as many as in the file.
    let codeLines: [Substring]
    /// The string literals of Swift that are on one line.
    let literals: [SwiftCode.Literal]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let swift = path.hasSuffix(".swift") ? SwiftCode.read(text) : nil
        codeLines = swift?.code.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        literals = swift?.literals ?? []
    }

    /// Names a place in the file.
    func place(_ index: Int, _ what: String) -> String { "\(path):\(index + 1): \(what)" }
}

/// An allowed exception to a rule, with its reason.
struct Exception {
    let path: String
    let reason: String

    init(_ path: String, _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension [Exception] {
    func covers(_ path: String) -> Bool { contains { $0.path == path } }
}
