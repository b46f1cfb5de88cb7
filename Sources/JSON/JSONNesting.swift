/// A stack of open objects and arrays, with one bit for each level. Such a stack needs no allocation.
struct JSONNesting: Sendable {
    static let deepest = 128

    /// The lowest bit is the innermost container. 1 means an object.
    private var kinds: UInt128 = 0
    private(set) var depth = 0

    var isInObject: Bool { depth > 0 && kinds & 1 == 1 }
    var isInArray: Bool { depth > 0 && kinds & 1 == 0 }

    mutating func push(isObject: Bool) {
        assert(depth < JSONNesting.deepest, "callers check the depth")
        kinds = kinds << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    mutating func pop() {
        assert(depth > 0, "nothing is open")
        kinds >>= 1
        depth -= 1
    }
}
