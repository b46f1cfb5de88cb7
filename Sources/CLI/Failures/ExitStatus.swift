/// How the tool ends: what scripts branch on.
enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    /// Wrong arguments, predicate or schema.
    case usage = 2
    case recordNotFound = 3
    case conditionFalse = 4
    /// Another writer has the store.
    case locked = 6
    case damaged = 7
    case interrupted = 130

    var code: Int32 { rawValue }
}
