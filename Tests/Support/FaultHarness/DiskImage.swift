/// A possible state of a disk after a power failure: the prefix of the trace that was run, and the part of it that reached the
/// disk.
///
/// The model assumes that the device writes 512 bytes either whole or not at all, and keeps everything that a sync covered.
public struct DiskImage: Sendable, Hashable, CustomStringConvertible {
    /// The fate of bytes that no sync covered.
    public enum Content: Sendable, Hashable {
        /// All bytes were written. SIGKILL leaves this state.
        case prefix
        /// None of the bytes were written.
        case unsyncedDropped
        /// All bytes were written, except that the pages of one write are missing from that write on.
        case oneDropped(seed: UInt64)
        /// Each page has its content after some number of the unsynced writes to it. Each file has one of its unsynced sizes.
        case subset(seed: UInt64)
        /// One write is torn: only some of its units of 512 or 4096 bytes were written. Of the remaining unsynced writes,
        /// either all or none were written.
        case torn(seed: UInt64, unit: Int)
    }

    /// The fate of changes of names that no sync covered. File systems keep the order of such changes.
    public enum Names: Sendable, Hashable {
        /// All of them took effect.
        case applied
        /// None took effect after the last change that a sync covered.
        case unsyncedDropped
        /// The first few took effect.
        case subset(seed: UInt64)
    }

    /// The number of records that took effect.
    public var cut: Int
    /// The fate of unsynced bytes.
    public var content: Content
    /// The fate of unsynced names.
    public var names: Names

    /// An image at a cut.
    public init(cut: Int, content: Content, names: Names = .applied) {
        self.cut = cut
        self.content = content
        self.names = names
    }

    /// The image as Swift code, which can be pasted into a test.
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
    /// Images of many kinds, at cuts that are spread over the trace. The same seed gives the same images.
    ///
    /// - Parameters:
    ///   - count: The number of images.
    ///   - seed: The seed of the choice. Print it, so that a failure can be repeated.
    ///   - first: The earliest cut.
    ///   - losesNames: Whether unsynced changes of names may be lost.
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
