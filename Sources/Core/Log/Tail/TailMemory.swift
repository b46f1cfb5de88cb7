internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Memory for the segments of one tail. It is mapped, not allocated: memory of this size that one thread allocates and
/// another frees stays with the allocator. A little is kept for the next segment, whose pages are there already then.
final class TailMemory: Sendable {
    /// The bytes that each segment gets.
    let byteCount: Int
    private let spare = Mutex<[Mapping]>([])
    /// While one file is taken in, the other fills up.
    private static let spareCount = 2

    /// Sound as `@unchecked Sendable`: it belongs to the segment that has it, or to nobody.
    struct Mapping: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
    }

    init(byteCount: Int) { self.byteCount = byteCount }

    deinit { release() }

    /// Memory for a segment; what it holds means nothing.
    func take() -> Mapping {
        if let mapping = spare.withLock({ $0.popLast() }) { return mapping }
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            preconditionFailure("the system has no memory for the log's tail")
        }
        return Mapping(base: mapped)
    }

    /// Takes the memory of a segment back.
    func give(_ mapping: Mapping) {
        let isKept = spare.withLock { spare in
            guard spare.count < Self.spareCount else { return false }
            spare.append(mapping)
            return true
        }
        if !isKept { munmap(mapping.base, byteCount) }
    }

    /// Gives the system back what is kept.
    func release() {
        let kept = spare.withLock { spare in
            defer { spare = [] }
            return spare
        }
        for mapping in kept { munmap(mapping.base, byteCount) }
    }
}
