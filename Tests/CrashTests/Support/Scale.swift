import Foundation

/// How much the crash tests do: the counts are those of continuous integration times `TIDELOG_CRASH_SCALE`.
enum Scale {
    /// 1 if nothing is said.
    static let factor = ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"].flatMap { Double($0) } ?? 1

    /// What random choices start from: `TIDELOG_CRASH_SEED`, or another one in each run. Every failure names it.
    static let seed =
        ProcessInfo.processInfo.environment["TIDELOG_CRASH_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)

    static func times(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }
}
