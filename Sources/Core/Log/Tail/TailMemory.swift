internal import Synchronization
internal import TidelogPlatform

/// Memory for the segments of one tail.
///
/// The memory is mapped instead of allocated. The reason is that memory of this size stays with the allocator if one
/// thread allocates it and another frees it. A few mappings are kept for the next segments, because the system has already
/// provided their pages.
final class TailMemory: Sendable {
    /// The bytes for each segment.
    let byteCount: Int
    private let spare = Mutex<[Mapping]>([])
    /// The number of mappings that are kept. While one file is absorbed, the other fills up.
    private static let spareCount = 2

    /// A mapped piece of memory. Sound as `@unchecked Sendable` because at most one segment uses it.
    struct Mapping: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
    }

    init(byteCount: Int) { self.byteCount = byteCount }

    deinit { release() }

    /// Memory for a segment. Its contents are arbitrary.
    func take() -> Mapping {
        if let mapping = spare.withLock({ $0.popLast() }) { return mapping }
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let mapped, mapped != MAP_FAILED else {
            preconditionFailure("the system has no memory for the log's tail")
        }
        return Mapping(base: mapped)
    }

    /// Accepts the memory of a segment that no longer needs it.
    func give(_ mapping: Mapping) {
        let isKept = spare.withLock { spare in
            guard spare.count < Self.spareCount else { return false }
            spare.append(mapping)
            return true
        }
        if !isKept { munmap(mapping.base, byteCount) }
    }

    /// Returns the kept memory to the system.
    func release() {
        let kept = spare.withLock { spare in
            defer { spare = [] }
            return spare
        }
        for mapping in kept { munmap(mapping.base, byteCount) }
    }
}
