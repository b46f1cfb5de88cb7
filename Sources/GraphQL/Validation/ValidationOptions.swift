/// What a service allows beyond the rules of the specification, so that hostile documents cost little.
package struct ValidationOptions: Sendable, Hashable {
    /// Most fields inside each other; what is selected of `__schema` and `__type` is bounded by a rule of its own.
    package var depthLimit: Int
    /// Most fields with an alias in one operation, each spread of a fragment counted.
    package var aliasLimit: Int
    /// Most errors that are reported.
    package var errorLimit: Int
    /// Whether documents may ask for `__schema` and `__type`.
    package var allowsIntrospection: Bool

    /// Fragments, inline fragments and fields inside each other, so that checks need little stack.
    static let nestingLimit = 100
    /// Pairs of fields that are compared before a document is refused; real ones need a few hundred.
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
