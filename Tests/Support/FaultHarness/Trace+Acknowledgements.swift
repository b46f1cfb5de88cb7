/// The result of a check that no line acknowledged a change before the change was durable.
public struct AcknowledgementCheck: Sendable, CustomStringConvertible {
    /// A change that was not durable when a line was printed.
    public struct Violation: Sendable, CustomStringConvertible {
        /// The line.
        public let acknowledgement: Trace.Acknowledgement
        /// The file or name that was changed.
        public let path: String
        /// The kind of the change.
        public let change: String
        /// The number of records before the change.
        public let position: Int

        /// A description in one line.
        public var description: String {
            "“\(acknowledgement.text)” at \(acknowledgement.position) precedes the sync that covers \(change) of "
                + "\(path) at \(position)"
        }
    }

    /// The number of lines that were checked.
    public let acknowledgements: Int
    /// The number of changes that were checked.
    public let changes: Int
    /// For each change with a line that came too early, the first such line.
    public let violations: [Violation]

    /// Whether lines and changes were checked and no violation was found.
    public var holds: Bool {
        acknowledgements > 0 && changes > 0 && violations.isEmpty
    }

    /// The result and the first few violations.
    public var description: String {
        let verdict = "\(acknowledgements) acknowledgements, \(changes) changes, \(violations.count) violations"
        return ([verdict] + violations.prefix(5).map(\.description)).joined(separator: "\n")
    }
}

extension Trace {
    /// Checks that every line came after the syncs that cover everything written before it.
    ///
    /// This check is for a victim that does one thing at a time. If a group is written while an earlier group is being
    /// acknowledged, its bytes count as violations. Use disk images to check such a victim.
    ///
    /// - Parameters:
    ///   - isAcknowledgement: Whether a line promises durability.
    ///   - isCovered: Whether the promise covers the bytes of the file at a path.
    public func checkAcknowledgements(
        _ isAcknowledgement: (String) -> Bool = { _ in true }, inFiles isCovered: (String) -> Bool
    ) -> AcknowledgementCheck {
        let lines = acknowledgements.filter { isAcknowledgement($0.text) }
        var violations: [AcknowledgementCheck.Violation] = []
        var count = 0
        for (_, file) in files.sorted(by: { $0.key < $1.key }) {
            guard let path = file.paths.sorted().first(where: isCovered) else { continue }
            count += file.changes.count
            for change in file.changes {
                guard let early = Self.first(of: lines, from: change.position, to: change.coveredAt) else { continue }
                violations.append(
                    .init(acknowledgement: early, path: path, change: "\(change.kind)", position: change.position))
            }
        }
        return AcknowledgementCheck(acknowledgements: lines.count, changes: count, violations: violations)
    }

    /// Checks that every line came after the syncs of the directories whose names had changed before it.
    ///
    /// - Parameters:
    ///   - isAcknowledgement: Whether a line promises durability.
    ///   - isCovered: Whether the promise covers a name.
    public func checkNames(
        _ isAcknowledgement: (String) -> Bool = { _ in true }, of isCovered: (String) -> Bool
    ) -> AcknowledgementCheck {
        let lines = acknowledgements.filter { isAcknowledgement($0.text) }
        let looked = names.filter { isCovered($0.path) }
        let violations = looked.compactMap { change -> AcknowledgementCheck.Violation? in
            guard let early = Self.first(of: lines, from: change.position, to: change.coveredByDirectoryAt) else {
                return nil
            }
            return .init(acknowledgement: early, path: change.path, change: "the name", position: change.position)
        }
        return AcknowledgementCheck(acknowledgements: lines.count, changes: looked.count, violations: violations)
    }

    private static func first(of lines: [Acknowledgement], from start: Int, to end: Int?) -> Acknowledgement? {
        var low = 0
        var high = lines.count
        while low < high {
            let middle = (low + high) / 2
            if lines[middle].position > start { high = middle } else { low = middle + 1 }
        }
        guard low < lines.count, lines[low].position < end ?? .max else { return nil }
        return lines[low]
    }
}
