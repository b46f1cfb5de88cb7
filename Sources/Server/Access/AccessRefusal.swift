/// The reason why the access rules refuse an operation.
enum AccessRefusal: Error, Sendable, Hashable {
    /// The caller may not do the operation at all. The refusal does not reveal whether the record exists.
    case operation
    /// The caller may not use these fields in this operation.
    case fields([String])
}
