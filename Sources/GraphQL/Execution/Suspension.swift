/// The state of a completed value. The type is not generic, because completing a leaf then needs no look-up of generic types.
enum CompletedValue {
    /// The value is complete.
    case value(ResponseValue)
    /// The value failed, and its error is recorded. Null replaces the value, or replaces the container if the value is
    /// non-null.
    case failed
    /// A part of the value is missing. The execution has a ``Suspension``, which must be taken.
    case suspended

    /// The value for a place, when nothing is missing; `nil` if the value is null but must not be null.
    func value(isNonNull: Bool) -> ResponseValue? {
        if case .value(let value) = self { value } else { isNonNull ? nil : .null }
    }
}

/// The missing parts of an incomplete value.
enum Suspension<Context: AnyObject & Sendable> {
    /// The value itself is missing.
    case pending(
        SelectedField, ResolvedType, @Sendable () async throws(ResolverError) -> ResolvedValue<Context>)
    /// Members or elements of the value are missing.
    case container(SuspendedContainer<Context>)
}

/// An object or a list with missing values.
struct SuspendedContainer<Context: AnyObject & Sendable> {
    /// A missing value.
    struct Missing {
        let place: Int
        let suspension: Suspension<Context>
    }

    /// The kind of container.
    enum Kind {
        case object(ResponseNames, [ResolvedType])
        case list(ResolvedType)
    }

    var values: [ResponseValue]
    let missing: [Missing]
    let kind: Kind

    /// Whether the value at this position must not be null.
    func isNonNull(at place: Int) -> Bool {
        switch kind {
        case .object(_, let types): types[place].isNonNull
        case .list(let type): type.isNonNull
        }
    }

    /// The path element for this position.
    func step(to place: Int) -> GraphQLError.PathElement {
        switch kind {
        case .object(let names, _): .field(names.names[place])
        case .list: .index(place)
        }
    }

    /// The complete container, when nothing is missing.
    var whole: ResponseValue {
        switch kind {
        case .object(let names, _): .object(ResponseObject(names, values))
        case .list: .list(values)
        }
    }
}
