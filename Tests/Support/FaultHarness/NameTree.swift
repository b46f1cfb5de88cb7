/// The names below the root at one moment. Directories and files are nodes, with the numbers that ``Trace`` gives them.
struct NameTree: Sendable {
    static let root = 0

    /// The names in each directory, with their nodes.
    private(set) var entries: [Int: [String: Int]] = [root: [:]]

    func isDirectory(_ node: Int) -> Bool {
        entries[node] != nil
    }

    func node(at path: String) -> Int? {
        var node = Self.root
        for part in path.split(separator: "/") {
            guard let next = entries[node]?[String(part)] else { return nil }
            node = next
        }
        return node
    }

    /// The directory that contains the last part of the path, and the name of that part.
    func parent(of path: String) -> (directory: Int, name: String)? {
        let parts = path.split(separator: "/")
        guard let last = parts.last, let directory = node(at: parts.dropLast().joined(separator: "/")) else {
            return nil
        }
        return isDirectory(directory) ? (directory, String(last)) : nil
    }

    mutating func apply(_ change: NameChange) {
        switch change.kind {
        case .add(let node, let path, let isDirectory):
            guard let place = parent(of: path) else { return }
            entries[place.directory]?[place.name] = node
            if isDirectory, entries[node] == nil { entries[node] = [:] }
        case .rename(let from, let to):
            guard let source = parent(of: from), let target = parent(of: to),
                let node = entries[source.directory]?.removeValue(forKey: source.name)
            else { return }
            entries[target.directory]?[target.name] = node
        case .exchange(let from, let to):
            guard let source = parent(of: from), let target = parent(of: to), let first = node(at: from),
                let second = node(at: to)
            else { return }
            entries[source.directory]?[source.name] = second
            entries[target.directory]?[target.name] = first
        case .remove(let path):
            guard let place = parent(of: path) else { return }
            entries[place.directory]?[place.name] = nil
        }
    }
}

/// A change of names, and the syncs that made it durable. Positions count records from the start of the trace.
struct NameChange: Sendable {
    enum Kind: Sendable {
        case add(node: Int, path: String, isDirectory: Bool)
        case rename(from: String, to: String)
        case exchange(from: String, to: String)
        case remove(path: String)
    }

    let position: Int
    let kind: Kind
    /// The directories whose sync is still missing.
    var uncovered: Set<Int>
    /// The position of the last of these syncs.
    var coveredByDirectoryAt: Int?
    /// The position where the new file itself was synced. On the file systems of Linux, this makes its name durable too.
    var coveredByFileAt: Int?

    var path: String {
        switch kind {
        case .add(_, let path, _), .rename(_, let path), .exchange(_, let path), .remove(let path): path
        }
    }

    func isDurable(before cut: Int) -> Bool {
        [coveredByDirectoryAt, coveredByFileAt].contains { $0.map { $0 < cut } ?? false }
    }
}
