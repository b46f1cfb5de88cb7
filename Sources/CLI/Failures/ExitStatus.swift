/// How the tool ends: what scripts branch on.
enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    /// Wrong arguments, predicate or schema.
    case usage = 2
    case recordNotFound = 3
    case conditionFalse = 4
    /// A sync ended, and changes are pending or set aside.
    case changesPending = 5
    /// Another writer has the store.
    case locked = 6
    case damaged = 7
    case interrupted = 130

    var code: Int32 { rawValue }
}
