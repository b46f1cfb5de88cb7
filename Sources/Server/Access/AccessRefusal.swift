/// Why the rules do not allow what was asked for.
enum AccessRefusal: Error, Sendable, Hashable {
    /// It is not allowed as a whole. Whether there is such a record is not told.
    case operation
    /// These fields may not be used so.
    case fields([String])
}
