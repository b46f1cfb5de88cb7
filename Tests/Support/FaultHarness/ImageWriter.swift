public import Foundation

extension Trace {
    /// Writes an image into a new directory.
    ///
    /// - Parameters:
    ///   - image: The image to write.
    ///   - directory: The directory, which must not exist yet.
    ///   - isLeftOut: Whether the file at a path is left out.
    public func write(
        _ image: DiskImage, to directory: URL, leavingOut isLeftOut: (String) -> Bool = Trace.isSharedMemory
    ) throws {
        precondition((0...records.count).contains(image.cut), "a cut lies within the trace")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let tree = tree(of: image)
        let victim = ImageVictim(image, in: self, leavingOut: isLeftOut)
        var written: [Int: URL] = [:]
        var waiting: [(node: Int, path: String)] = [(NameTree.root, "")]
        while let (node, path) = waiting.popLast() {
            for (name, child) in (tree.entries[node] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let childPath = path.isEmpty ? name : path + "/" + name
                let target = directory.appendingPathComponent(childPath)
                if tree.isDirectory(child) {
                    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
                    waiting.append((child, childPath))
                } else if !isLeftOut(childPath) {
                    if let first = written[child] {
                        try FileManager.default.linkItem(at: first, to: target)
                    } else {
                        try write(child, of: image, victim: victim, to: target)
                        written[child] = target
                    }
                }
            }
        }
    }

    private func tree(of image: DiskImage) -> NameTree {
        let happened = names.prefix { $0.position < image.cut }
        let durable = (happened.lastIndex { $0.isDurable(before: image.cut) } ?? -1) + 1
        let count =
            switch image.names {
            case .applied: happened.count
            case .unsyncedDropped: durable
            case .subset(let seed): durable + SeededChoice(seed: seed).below(happened.count - durable + 1, image.cut)
            }
        var tree = baseTree
        for change in happened.prefix(count) { tree.apply(change) }
        return tree
    }

    private func write(_ node: Int, of image: DiskImage, victim: ImageVictim?, to target: URL) throws {
        guard let file = files[node] else { return }
        if let base, let path = file.basePath {
            try FileManager.default.copyItem(at: base.appendingPathComponent(path), to: target)
        }
        let changes = file.changes.prefix { $0.position < image.cut }
        var plan = FilePlan(node: node, changes: changes, image: image, victim: victim)
        let output = try FileOutput(target)
        defer { output.close() }
        try bytes.withUnsafeBytes { raw in
            for (index, change) in changes.enumerated() {
                let keepsSize = plan.keepsSize(index)
                switch change.kind {
                case .write(let offset, let length, let source):
                    for range in plan.appliedRanges(offset: offset, length: length, change: index) {
                        let from = source.map { $0.lowerBound + range.lowerBound - offset }
                        try output.write(
                            from.map { UnsafeRawBufferPointer(rebasing: raw[$0..<$0 + range.count]) }, range)
                    }
                    if keepsSize { try output.extend(to: offset + length) }
                case .truncate(let size):
                    if keepsSize { try output.truncate(to: size) }
                case .extend(let size):
                    if keepsSize { try output.extend(to: size) }
                }
            }
        }
    }
}
