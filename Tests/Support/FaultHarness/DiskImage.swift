/// What a disk may hold when the power fails: which trace prefix was run, and what of it reached the disk.
///
/// The media are assumed to write 512 bytes whole or not at all, and to keep what a sync covered.
public struct DiskImage: Sendable, Hashable, CustomStringConvertible {
    /// What became of bytes that no sync had covered.
    public enum Content: Sendable, Hashable {
        /// All of them were written: what SIGKILL leaves.
        case prefix
        /// None of them was.
        case unsyncedDropped
        /// All but the pages of one write, since that write.
        case oneDropped(seed: UInt64)
        /// Each page holds what it held after some number of the unsynced writes to it, each size some unsynced size.
        case subset(seed: UInt64)
        /// One write got only some of its units of 512 or 4096 bytes written; of the others either all were or none.
        case torn(seed: UInt64, unit: Int)
    }

    /// What became of changes of names that no sync had covered. File systems keep their order.
    public enum Names: Sendable, Hashable {
        /// All of them happened.
        case applied
        /// None did, after the last that was covered.
        case unsyncedDropped
        /// The first few did.
        case subset(seed: UInt64)
    }

    /// How many records took effect.
    public var cut: Int
    /// What became of unsynced bytes.
    public var content: Content
    /// What became of unsynced names.
    public var names: Names

    /// An image at a cut.
    public init(cut: Int, content: Content, names: Names = .applied) {
        self.cut = cut
        self.content = content
        self.names = names
    }

    /// The image, fit to be pasted into a test.
    public var description: String {
        "DiskImage(cut: \(cut), content: .\(content), names: .\(names))"
    }

    var contentChoice: SeededChoice {
        switch content {
        case .prefix, .unsyncedDropped: SeededChoice(seed: 0)
        case .oneDropped(let seed), .subset(let seed), .torn(let seed, _): SeededChoice(seed: seed)
        }
    }
}

extension Trace {
    /// Images of many kinds at cuts spread over the trace; the same seed gives the same images.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - seed: what they are chosen by; print it.
    ///   - first: no cut is earlier.
    ///   - losesNames: whether unsynced changes of names may be lost.
    public func images(count: Int, seed: UInt64, from first: Int = 0, losesNames: Bool = true) -> [DiskImage] {
        precondition(count > 0 && first <= records.count, "there must be records to cut between")
        let choice = SeededChoice(seed: seed)
        let span = records.count - first + 1
        return (0..<count).map { index in
            let low = first + index * span / count
            let high = max(low + 1, first + (index + 1) * span / count)
            let ownSeed = UInt64(choice.below(.max, index, 0))
            let content: DiskImage.Content =
                switch index % 8 {
                case 0: .prefix
                case 1, 4: .unsyncedDropped
                case 2: .oneDropped(seed: ownSeed)
                case 3, 7: .subset(seed: ownSeed)
                case 5: .torn(seed: ownSeed, unit: 512)
                default: .torn(seed: ownSeed, unit: 4096)
                }
            let names: DiskImage.Names =
                switch losesNames ? choice.below(4, index, 1) : 0 {
                case 2: .unsyncedDropped
                case 3: .subset(seed: ownSeed)
                default: .applied
                }
            return DiskImage(cut: low + choice.below(high - low, index, 2), content: content, names: names)
        }
    }
}
