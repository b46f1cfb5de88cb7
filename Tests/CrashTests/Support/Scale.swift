import Foundation

/// How much the crash tests do: the counts are those of continuous integration times `TIDELOG_CRASH_SCALE`.
enum Scale {
    /// 1 where nothing is said.
    static let factor = ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"].flatMap { Double($0) } ?? 1

    /// What random choices start from: `TIDELOG_CRASH_SEED`, or another one in each run. Every failure names it.
    static let seed =
        ProcessInfo.processInfo.environment["TIDELOG_CRASH_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)

    static func times(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }
}

/// Random numbers that a seed repeats (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
