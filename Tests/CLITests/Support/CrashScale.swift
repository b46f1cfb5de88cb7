import Foundation

/// How many times more often than by default the tests kill and cut.
let crashScale = Int(ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"] ?? "") ?? 1
