import Foundation

/// The amount of work of the crash tests. The counts in the tests are the ones for continuous integration, and
/// `TIDELOG_CRASH_SCALE` multiplies them.
enum Scale {
    /// The value of `TIDELOG_CRASH_SCALE`, or 1 if the variable is not set.
    static let factor = ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"].flatMap { Double($0) } ?? 1

    /// The seed of the random choices: the value of `TIDELOG_CRASH_SEED`, or a new seed in each run. Every failure
    /// names the seed.
    static let seed =
        ProcessInfo.processInfo.environment["TIDELOG_CRASH_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)

    static func times(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }
}
