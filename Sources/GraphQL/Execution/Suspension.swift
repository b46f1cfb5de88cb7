/// What became of a value. It is not generic, so that completing a leaf costs no look-up of generic types.
enum Completed {
    /// It is complete.
    case value(ResponseValue)
    /// It has none, and its error is noted; null takes its place, or the place of what it is in.
    case failed
    /// Something in it is missing: the execution has a ``Suspension`` to take.
    case suspended

    /// The value for a place, once nothing is missing; nil if the place cannot have it and fails itself.
    func value(isNonNull: Bool) -> ResponseValue? {
        if case .value(let value) = self { value } else { isNonNull ? nil : .null }
    }
}

/// What is missing before a value is complete.
enum Suspension<Context: AnyObject & Sendable> {
    /// The value itself.
    case pending(
        SelectedField, ResolvedType, @Sendable () async throws(ResolverError) -> ResolvedValue<Context>)
    /// Members or elements.
    case container(SuspendedContainer<Context>)
}

/// An object or a list from which values are missing.
struct SuspendedContainer<Context: AnyObject & Sendable> {
    /// A value that is missing.
    struct Missing {
        let place: Int
        let suspension: Suspension<Context>
    }

    /// What the values belong to.
    enum Kind {
        case object([String], [ResolvedType])
        case list(ResolvedType)
    }

    var values: [ResponseValue]
    let missing: [Missing]
    let kind: Kind

    /// Whether the value at a place may not be null.
    func isNonNull(at place: Int) -> Bool {
        switch kind {
        case .object(_, let types): types[place].isNonNull
        case .list(let type): type.isNonNull
        }
    }

    /// The step of a path that leads to a place.
    func step(to place: Int) -> GraphQLError.PathElement {
        switch kind {
        case .object(let names, _): .field(names[place])
        case .list: .index(place)
        }
    }

    /// The whole, once nothing is missing.
    var whole: ResponseValue {
        switch kind {
        case .object(let names, _): .object(ResponseObject(names: names, values: values))
        case .list: .list(values)
        }
    }
}
