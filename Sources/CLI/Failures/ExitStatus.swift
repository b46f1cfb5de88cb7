/// The exit status of the tool, which scripts branch on.
enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    /// Wrong arguments, predicate or schema.
    case usage = 2
    case recordNotFound = 3
    case conditionFalse = 4
    /// A sync ended, but changes are still pending or set aside.
    case changesPending = 5
    /// Another writer has the store.
    case locked = 6
    case damaged = 7
    case interrupted = 130

    var code: Int32 { rawValue }
}
