/// The missing parts of an incomplete value.
enum Suspension<Context: AnyObject & Sendable> {
    /// The value itself is missing.
    case pending(SelectedField, ResolvedType, @Sendable () async throws(ResolverError) -> ResolvedValue<Context>)
    /// Members or elements of the value are missing.
    case container(Container)

    /// An object or a list with missing values.
    struct Container {
        /// A missing value.
        struct Missing {
            let place: Int
            let suspension: Suspension
        }

        /// The kind of container.
        enum Kind {
            case object(ResponseObject.Names, [ResolvedType])
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
}

extension Execution {
    /// Awaits the missing parts of the value that was just completed.
    func settleSuspension() async -> CompletedValue {
        guard let suspension = takeSuspension() else {
            assertionFailure("nothing is missing")
            return .failed
        }
        return await settle(suspension)
    }

    /// Awaits a suspension's missing values, in order. The result is complete.
    func settle(_ suspension: Suspension<Context>) async -> CompletedValue {
        switch suspension {
        case .container(let container): return await settle(container)
        case .pending(let field, let type, let run):
            do {
                let completed = complete(try await run(), as: type, for: field)
                guard case .suspended = completed else { return completed }
                return await settleSuspension()
            } catch {
                return fail(error, field)
            }
        }
    }

    private func settle(_ suspended: Suspension<Context>.Container) async -> CompletedValue {
        var container = suspended
        for missing in container.missing {
            if checkCancellation() { return .failed }
            let mark = failures.count
            let completed = await settle(missing.suspension)
            step(container.step(to: missing.place), since: mark)
            let isNonNull = container.isNonNull(at: missing.place)
            guard let value = completed.value(isNonNull: isNonNull) else { return .failed }
            container.values[missing.place] = value
        }
        return .value(container.whole)
    }
}

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
