/// The limits of a service in addition to the rules of the specification, so that hostile documents cost little.
package struct ValidationOptions: Sendable, Hashable {
    /// The largest depth of nested fields. A separate rule limits selections on `__schema` and `__type`.
    package var depthLimit: Int
    /// The largest number of fields with an alias in one operation. Each spread of a fragment counts.
    package var aliasLimit: Int
    /// The largest number of reported errors.
    package var errorLimit: Int
    /// Whether documents may select `__schema` and `__type`.
    package var allowsIntrospection: Bool

    /// The largest depth of nested fragments, inline fragments and fields, so that checks need little stack.
    static let nestingLimit = 100
    /// The largest number of compared pairs of fields. Real documents need a few hundred.
    static let comparisonLimit = 50_000

    /// Makes options.
    package init(
        depthLimit: Int = 15, aliasLimit: Int = 30, errorLimit: Int = 100, allowsIntrospection: Bool = true
    ) {
        self.depthLimit = depthLimit
        self.aliasLimit = aliasLimit
        self.errorLimit = errorLimit
        self.allowsIntrospection = allowsIntrospection
    }
}
