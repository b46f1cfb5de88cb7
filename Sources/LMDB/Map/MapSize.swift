internal import TidelogPlatform

/// The sizes that a map may have, and whether the system has enough addresses for them.
package enum MapSize {
    /// The size with which the map of a small file begins.
    static let smallest = 256 << 20
    /// The addresses that a map leaves to the rest of the process, as long as a smaller map would do.
    static let spare = 64 << 20
    /// How often a step is halved before the system's refusal is final.
    private static let halvings = 5

    /// The sizes to try for the map of a file of `fileByteCount` bytes, in this order.
    ///
    /// The first one is twice the file's size and at least ``smallest``, or `wanted`. The last one has space for the file
    /// alone, or is small if the file is empty.
    package static func forOpening(fileByteCount: Int, wanted: Int?) -> [Int] {
        let first = max(wanted ?? max(smallest, doubled(fileByteCount)), fileByteCount)
        let sizes = halvedSteps(from: fileByteCount, to: first)
        return fileByteCount > 0 && sizes.last != fileByteCount ? sizes + [fileByteCount] : sizes
    }

    /// The sizes to try for the growth of a map of `size` bytes whose pages in use take `usedByteCount` bytes, in this order.
    ///
    /// The first one is twice as large as before. Another process may have used more pages than this map has.
    package static func forGrowing(from size: Int, usedByteCount: Int) -> [Int] {
        let base = max(size, usedByteCount)
        return halvedSteps(from: base, to: doubled(base))
    }

    private static func halvedSteps(from base: Int, to first: Int) -> [Int] {
        var sizes: [Int] = []
        for halving in 0...halvings {
            let size = wholePages(base + (first - base) >> halving)
            if size != sizes.last { sizes.append(size) }
        }
        return sizes
    }

    private static func doubled(_ byteCount: Int) -> Int {
        let (product, overflows) = byteCount.multipliedReportingOverflow(by: 2)
        return overflows ? byteCount : product
    }

    private static func wholePages(_ byteCount: Int) -> Int {
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        let (sum, overflows) = byteCount.addingReportingOverflow(page - 1)
        return (overflows ? byteCount : sum) / page * page
    }

    /// Whether the system has addresses for a map of `size` bytes. The map replaces one of `present` bytes, or is the first if
    /// that is 0.
    ///
    /// LMDB removes the present map before it makes the new one, and cannot go back. Therefore the system is asked first. If it
    /// has no addresses for both maps at once, it may still have enough for the difference.
    ///
    /// - Parameter isEarly: Whether the map can also stay as it is. It then leaves as many addresses free as it takes.
    static func isAvailable(_ size: Int, replacing present: Int = 0, isEarly: Bool = false) -> Bool {
        guard present > 0 else { return canReserve(size + spare) }
        if isEarly { return size <= .max / 2 && canReserve(2 * size) }
        return canReserve(size) || size > present && canReserve(size - present + spare)
    }

    /// Whether the system can reserve this number of addresses in one piece.
    private static func canReserve(_ byteCount: Int) -> Bool {
        let mapped = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else { return false }
        munmap(mapped, byteCount)
        return true
    }
}
