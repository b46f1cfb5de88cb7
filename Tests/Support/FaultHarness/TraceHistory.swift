import Foundation

/// Assigns each record of a trace to its file, and finds the sync that covers it.
///
/// A sync covers the changes of its file that were made before the sync began. A write through a syncing descriptor covers
/// itself. After a failed sync the system may have dropped the data, so no later sync covers those changes.
struct TraceHistory {
    private struct SyncKey: Hashable {
        let process: UInt32
        let index: UInt64
    }

    private struct RunningSync {
        /// How many entries of each file's or directory's pending list the sync covers.
        var changes: [Int: Int] = [:]
        var names: Int = 0
        var directories: Set<Int>?
        var everything = false
    }

    private(set) var tree = NameTree()
    private(set) var files: [Int: FileHistory] = [:]
    private(set) var names: [NameChange] = []
    private(set) var acknowledgements: [Trace.Acknowledgement] = []
    private(set) var sharedMappings: Set<String> = []

    private var nodes: [TraceRecord.FileNumber: Int] = [:]
    private var nextNode = NameTree.root + 1
    private var creations: [Int: Int] = [:]
    private var syncs: [SyncKey: RunningSync] = [:]
    private var pendingNames: [Int] = []

    mutating func addBase(_ base: URL) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path).sorted()
        for path in paths {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: base.appendingPathComponent(path).path, isDirectory: &isDirectory)
            guard exists else { continue }
            let node = newNode()
            if !isDirectory.boolValue { files[node] = FileHistory(path: path, isBase: true) }
            let kind = NameChange.Kind.add(node: node, path: path, isDirectory: isDirectory.boolValue)
            tree.apply(NameChange(position: -1, kind: kind, uncovered: []))
        }
    }

    mutating func follow(_ record: TraceRecord, at position: Int) throws {
        switch record.operation {
        case .open(let file, let path):
            _ = node(of: file, path: path, at: position)
        case .create(let file, let path):
            nodes[file] = addFile(path, at: position)
        case .write(let file, let offset, let bytes, let selfSynced):
            let kind = FileHistory.Change.Kind.write(offset: offset, length: bytes.count, bytes: bytes)
            add(kind, to: file, at: position, selfSynced: selfSynced)
        case .truncate(let file, let size):
            add(.truncate(size: size), to: file, at: position)
        case .allocate(let file, let offset, let length, let mode):
            try allocate(file, offset, length, mode, at: position)
        case .syncBegan(let file, let index, let directory, let everything):
            let key = SyncKey(process: record.process, index: index)
            syncs[key] = runningSync(file, directory: directory, everything: everything)
        case .syncEnded(let index, let outcome):
            let key = SyncKey(process: record.process, index: index)
            if let sync = syncs.removeValue(forKey: key) { end(sync, outcome, at: position) }
        case .rename(let from, let to, let exchanges):
            try rename(from, to, exchanges: exchanges, at: position)
        case .link(let from, let to):
            guard let node = tree.node(at: from) else { throw TraceError.unsupported("link of \(from)") }
            add(.add(node: node, path: to, isDirectory: false), at: position)
            files[node]?.paths.insert(to)
        case .unlink(let path), .removeDirectory(let path):
            if tree.node(at: path) != nil { add(.remove(path: path), at: position) }
        case .makeDirectory(let path):
            if !path.isEmpty { add(.add(node: newNode(), path: path, isDirectory: true), at: position) }
        case .acknowledge(let text):
            acknowledgements.append(Trace.Acknowledgement(position: position, text: text))
        case .sharedMapping(let file):
            if let node = nodes[file], let path = files[node]?.paths.sorted().first { sharedMappings.insert(path) }
        case .killed, .failed:
            break
        }
    }

    private mutating func newNode() -> Int {
        defer { nextNode += 1 }
        return nextNode
    }

    // MARK: Files

    private mutating func addFile(_ path: String, at position: Int) -> Int {
        let node = newNode()
        files[node] = FileHistory(path: path, isBase: false)
        creations[node] = names.count
        add(.add(node: node, path: path, isDirectory: false), at: position)
        return node
    }

    // The library does not see every way in which a file is created (for example `mkstemp`). Such a file begins where it is
    // first opened. The number of a deleted file may be reused for a new file.
    private mutating func node(of file: TraceRecord.FileNumber, path: String, at position: Int) -> Int {
        if let known = nodes[file], tree.node(at: path) == known || path.hasSuffix(" (deleted)") { return known }
        let node = tree.node(at: path).flatMap { isBound($0) ? nil : $0 } ?? addFile(path, at: position)
        nodes[file] = node
        return node
    }

    private func isBound(_ node: Int) -> Bool {
        nodes.values.contains(node)
    }

    private mutating func add(
        _ kind: FileHistory.Change.Kind, to file: TraceRecord.FileNumber, at position: Int, selfSynced: Bool = false
    ) {
        guard let node = nodes[file], let count = files[node]?.changes.count else { return }
        let change = FileHistory.Change(position: position, kind: kind, coveredAt: selfSynced ? position : nil)
        files[node]?.changes.append(change)
        if !selfSynced { files[node]?.pending.append(count) }
    }

    private mutating func allocate(
        _ file: TraceRecord.FileNumber, _ offset: Int, _ length: Int, _ mode: Int, at position: Int
    ) throws {
        // FALLOC_FL_KEEP_SIZE is 1, FALLOC_FL_PUNCH_HOLE 2, FALLOC_FL_ZERO_RANGE 16.
        switch mode {
        case 0: add(.extend(size: offset + length), to: file, at: position)
        case 1: break
        case 3, 17: add(.write(offset: offset, length: length, bytes: nil), to: file, at: position)
        default: throw TraceError.unsupported("fallocate with mode \(mode)")
        }
    }

    // MARK: Names

    private mutating func rename(_ from: String, _ to: String, exchanges: Bool, at position: Int) throws {
        guard !from.hasPrefix("/"), let node = tree.node(at: from) else {
            throw TraceError.unsupported("rename of \(from), which is not below the root, to \(to)")
        }
        if to.hasPrefix("/") {
            add(.remove(path: from), at: position)
        } else {
            add(exchanges ? .exchange(from: from, to: to) : .rename(from: from, to: to), at: position)
            files[node]?.paths.insert(to)
        }
    }

    private mutating func add(_ kind: NameChange.Kind, at position: Int) {
        let paths: [String] =
            switch kind {
            case .add(_, let path, _), .remove(let path): [path]
            case .rename(let from, let to), .exchange(let from, let to): [from, to]
            }
        let parents = Set(paths.compactMap { tree.parent(of: $0)?.directory })
        let change = NameChange(position: position, kind: kind, uncovered: parents)
        pendingNames.append(names.count)
        names.append(change)
        tree.apply(change)
    }

    // MARK: Syncs

    private func runningSync(_ file: TraceRecord.FileNumber, directory: String?, everything: Bool) -> RunningSync {
        var sync = RunningSync(names: names.count, everything: everything)
        if everything {
            sync.changes = files.mapValues(\.changes.count)
        } else if let directory {
            sync.directories = tree.node(at: directory).map { [$0] } ?? []
        } else if let node = nodes[file], let count = files[node]?.changes.count {
            sync.changes = [node: count]
        }
        return sync
    }

    private mutating func end(_ sync: RunningSync, _ outcome: TraceRecord.SyncOutcome, at position: Int) {
        if outcome == .skipped || outcome == .partial { return }
        let succeeded = outcome == .succeeded
        for (node, limit) in sync.changes {
            guard var file = files.removeValue(forKey: node) else { continue }
            if succeeded {
                for index in file.pending where index < limit { file.changes[index].coveredAt = position }
                if let creation = creations[node], names[creation].coveredByFileAt == nil {
                    names[creation].coveredByFileAt = position
                }
            }
            file.pending.removeAll { $0 < limit }
            files[node] = file
        }
        guard succeeded, sync.everything || sync.directories != nil else { return }
        pendingNames.removeAll { index in
            guard index < sync.names else { return false }
            if sync.everything {
                names[index].uncovered = []
            } else {
                names[index].uncovered.subtract(sync.directories ?? [])
            }
            if names[index].uncovered.isEmpty { names[index].coveredByDirectoryAt = position }
            return names[index].uncovered.isEmpty
        }
    }
}
