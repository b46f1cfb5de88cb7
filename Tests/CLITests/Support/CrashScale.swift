import Foundation

/// A factor for the number of kills and cuts that tests make. `TIDELOG_CRASH_SCALE` sets it; the default is 1.
let crashScale = Int(ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"] ?? "") ?? 1
