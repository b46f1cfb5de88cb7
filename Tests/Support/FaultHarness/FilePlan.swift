/// The write that an image loses or tears.
struct ImageVictim {
    let node: Int
    /// The index of the write in the changes of its file.
    let change: Int

    /// Chooses the last unsynced write or, with an even chance, any unsynced write. The result is `nil` if the image has no
    /// such write.
    init?(_ image: DiskImage, in trace: Trace, leavingOut isLeftOut: (String) -> Bool) {
        switch image.content {
        case .prefix, .unsyncedDropped, .subset: return nil
        case .oneDropped, .torn: break
        }
        var found: [(position: Int, node: Int, change: Int)] = []
        for (node, file) in trace.files where !file.paths.contains(where: isLeftOut) {
            for (index, change) in file.changes.enumerated() where change.position < image.cut {
                guard case .write(_, let length, _) = change.kind, length > 0 else { continue }
                if !change.isDurable(before: image.cut) { found.append((change.position, node, index)) }
            }
        }
        guard !found.isEmpty else { return nil }
        found.sort { $0.position < $1.position }
        let choice = image.contentChoice
        let chosen = choice.below(2, 1) == 0 ? found[found.count - 1] : found[choice.below(found.count, 2)]
        node = chosen.node
        change = chosen.change
    }
}

/// The parts of one file's changes that an image contains.
///
/// The page cache writes a page as it is at that moment. A page on disk therefore has the content after some of the writes to
/// it, and never a later write without an earlier one. The plan counts the writes to each page, and how many of them must be on
/// disk.
struct FilePlan {
    private struct Page {
        var count = 0
        var durable = 0
        var seen = 0
        /// The number of the lost or torn write among the writes to this page.
        var victim: Int?
    }

    static let pageSize = 4096
    private static let sectorSize = 512

    private let node: Int
    private let image: DiskImage
    private let choice: SeededChoice
    private let victimUnits: Range<Int>
    private var pages: [Int: Page] = [:]
    private var keptSizes: Set<Int> = []

    init(node: Int, changes: ArraySlice<FileHistory.Change>, image: DiskImage, victim: ImageVictim?) {
        self.node = node
        self.image = image
        choice = image.contentChoice
        var units = 0..<0
        for (index, change) in changes.enumerated() {
            guard case .write(let offset, let length, _) = change.kind, length > 0 else { continue }
            let isVictim = victim?.node == node && victim?.change == index
            if isVictim, case .torn(_, let unit) = image.content {
                units = offset / unit..<(offset + length - 1) / unit + 1
            }
            for number in offset / Self.pageSize...(offset + length - 1) / Self.pageSize {
                pages[number, default: Page()].count += 1
                let count = pages[number]?.count ?? 0
                if change.isDurable(before: image.cut) { pages[number]?.durable = count }
                if isVictim { pages[number]?.victim = count }
            }
        }
        victimUnits = units
        keptSizes = Self.keptSizes(changes, node: node, image: image, victim: victim)
    }

    /// Whether the image keeps the file's size after a change.
    func keepsSize(_ change: Int) -> Bool {
        keptSizes.contains(change)
    }

    /// The byte ranges of a write that the image contains. Call this method once for each write, in order.
    mutating func appliedRanges(offset: Int, length: Int, change: Int) -> [Range<Int>] {
        guard length > 0 else { return [] }
        let end = offset + length
        var result: [Range<Int>] = []
        for number in offset / Self.pageSize...(end - 1) / Self.pageSize {
            pages[number]?.seen += 1
            guard let page = pages[number] else { continue }
            let start = max(offset, number * Self.pageSize)
            let stop = min(end, (number + 1) * Self.pageSize)
            if page.victim == nil {
                guard page.seen <= limit(page, number: number, sector: 0) else { continue }
                Self.append(start..<stop, to: &result)
                continue
            }
            for sector in start / Self.sectorSize...(stop - 1) / Self.sectorSize {
                guard page.seen <= limit(page, number: number, sector: sector) else { continue }
                let low = max(start, sector * Self.sectorSize)
                Self.append(low..<min(stop, (sector + 1) * Self.sectorSize), to: &result)
            }
        }
        return result
    }

    private static func append(_ range: Range<Int>, to ranges: inout [Range<Int>]) {
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    // The number of writes to the page that this sector contains.
    private func limit(_ page: Page, number: Int, sector: Int) -> Int {
        switch image.content {
        case .prefix:
            return page.count
        case .unsyncedDropped:
            return page.durable
        case .subset:
            return page.durable + choice.below(page.count - page.durable + 1, 3, node, number)
        case .oneDropped:
            return page.victim.map { max(page.durable, $0 - 1) } ?? page.count
        case .torn(_, let unit):
            let others = Self.dropsOthers(choice) ? page.durable : page.count
            guard let victim = page.victim else { return others }
            guard victimUnits.contains(sector * Self.sectorSize / unit) else { return others }
            let isWritten = isWritten(unit: sector * Self.sectorSize / unit)
            return isWritten ? max(others, victim) : max(page.durable, victim - 1)
        }
    }

    // The written units of a torn write are its first ones, its last ones, or any of them.
    private func isWritten(unit: Int) -> Bool {
        let index = unit - victimUnits.lowerBound
        let boundary = choice.below(victimUnits.count + 1, 5)
        switch choice.below(3, 4) {
        case 0: return index < boundary
        case 1: return index >= boundary
        default: return choice.below(2, 6, unit) == 0
        }
    }

    private static func dropsOthers(_ choice: SeededChoice) -> Bool {
        choice.below(2, 7) == 0
    }

    // Sizes are metadata, which keep their order. All sizes up to some change are kept, and so is every durable one.
    private static func keptSizes(
        _ changes: ArraySlice<FileHistory.Change>, node: Int, image: DiskImage, victim: ImageVictim?
    ) -> Set<Int> {
        let durable = (changes.lastIndex { $0.isDurable(before: image.cut) } ?? -1) + 1
        let some = { durable + image.contentChoice.below(changes.count - durable + 1, 8, node) }
        let count: Int
        switch image.content {
        case .prefix, .oneDropped: count = changes.count
        case .unsyncedDropped: count = durable
        case .subset: count = some()
        case .torn: count = victim != nil && dropsOthers(image.contentChoice) ? some() : changes.count
        }
        return Set(0..<count)
    }
}
