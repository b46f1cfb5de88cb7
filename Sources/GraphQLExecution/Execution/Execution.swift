/// An execution of an operation (§6.3, §6.4).
///
/// A value that a resolver returns immediately is completed without suspending. A pending value is stored with the container in
/// which it is missing, and is awaited after all other values. The path of an error is collected from the innermost element to
/// the outermost.
final class Execution<Context: AnyObject & Sendable> {
    private(set) var isCancelled = false
    var failures: [GraphQLError] = []
    let typeSystem: TypeSystem
    private let root: ObjectSelection
    private let context: Context
    /// The missing parts of the value that was just completed.
    private var suspension: Suspension<Context>?
    /// The missing values of all containers that are being completed. The innermost container added the last values.
    private var missing: [Suspension<Context>.Container.Missing] = []
    /// The selections on objects of an interface or union, by the field that returns the objects.
    private var plans: [PlanKey: ObjectSelection] = [:]

    private struct PlanKey: Hashable {
        let field: ObjectIdentifier
        let type: Int
    }

    init(typeSystem: TypeSystem, root: ObjectSelection, context: Context) {
        self.typeSystem = typeSystem
        self.root = root
        self.context = context
    }

    /// The errors, in the order in which they occurred.
    var errors: [GraphQLError] {
        failures.map { failure in
            var error = failure
            error.path.reverse()
            return error
        }
    }

    /// Runs the operation and returns its response.
    func run(over object: any ResolvableObject<Context>, isSerial: Bool) async -> ResponseValue {
        let completed = isSerial ? await executeSerially(object) : execute(object, root)
        switch completed {
        case .value(let value): return value
        case .failed: return .null
        case .suspended:
            guard case .value(let value) = await settleSuspension() else { return .null }
            return value
        }
    }

    private func executeSerially(_ object: any ResolvableObject<Context>) async -> CompletedValue {
        var values: [ResponseValue] = []
        for field in root.fields {
            if checkCancellation() { return .failed }
            let mark = failures.count
            var completed = resolve(field, of: object)
            if case .suspended = completed { completed = await settleSuspension() }
            step(.field(field.responseName), since: mark)
            guard let value = completed.value(isNonNull: field.isNonNull) else { return .failed }
            values.append(value)
        }
        return .value(.object(ResponseObject(root.names, values)))
    }

    // MARK: Objects

    private func execute(_ object: any ResolvableObject<Context>, _ selection: ObjectSelection) -> CompletedValue {
        if checkCancellation() { return .failed }
        var values: [ResponseValue] = []
        values.reserveCapacity(selection.fields.count)
        let missingMark = missing.count
        for field in selection.fields {
            let mark = failures.count
            let completed = resolve(field, of: object)
            if failures.count > mark { step(.field(field.responseName), since: mark) }
            guard add(completed, isNonNull: field.isNonNull, to: &values) else { return fail(since: missingMark) }
        }
        if missing.count == missingMark {
            return .value(.object(ResponseObject(selection.names, values)))
        }
        let kind = Suspension<Context>.Container.Kind.object(selection.names, selection.fields.map(\.type))
        return suspend(values, kind, since: missingMark)
    }

    private func resolve(_ field: SelectedField, of object: any ResolvableObject<Context>) -> CompletedValue {
        if let error = field.argumentError { return fail(error) }
        switch field.source {
        case .typeName: return .value(.string(field.parent.name))
        case .introspection:
            return complete(IntrospectionObject.root(field, typeSystem), as: field.type, for: field)
        case .object:
            if field.named.isLeaf, let leaf = object.leaf(field) {
                return complete(leaf: leaf, as: field.type, for: field)
            }
            do {
                return complete(try object.resolve(field, in: context), as: field.type, for: field)
            } catch {
                return fail(error, field)
            }
        }
    }

    // MARK: Values

    func complete(
        _ value: ResolvedValue<Context>, as type: ResolvedType, for field: SelectedField
    ) -> CompletedValue {
        switch value {
        case .leaf(let leaf): return complete(leaf: leaf, as: type, for: field)
        case .null: return completeNull(as: type, for: field)
        case .object(let object):
            guard case .named = type.nullable, field.named.isComposite else {
                return fail("An object is no value of the type \"\(typeSystem.text(type))\".", field)
            }
            guard let type = objectType(of: object, for: field), let selection = plan(field, of: type) else {
                return .failed
            }
            return execute(object, selection)
        case .list(let elements):
            guard let element = type.listElement else {
                return fail("A list is no value of the type \"\(typeSystem.text(type))\".", field)
            }
            return complete(list: elements, of: element, for: field) { self.complete($0, as: element, for: field) }
        case .failure(let error): return fail(error, field)
        case .pending(let run): return suspend(.pending(field, type, run))
        }
    }

    private func complete(
        leaf value: ResponseValue, as type: ResolvedType, for field: SelectedField
    ) -> CompletedValue {
        if value.isNull { return completeNull(as: type, for: field) }
        if let element = type.listElement {
            guard case .list(let elements) = value else {
                return fail(
                    "Expected Iterable, but did not find one for field \"\(field.parent.name).\(field.name)\".", field)
            }
            return complete(list: elements, of: element, for: field) {
                self.complete(leaf: $0, as: element, for: field)
            }
        }
        guard field.named.isLeaf else {
            return fail("A scalar is no value of the type \"\(field.named.name)\".", field)
        }
        do {
            let result = try typeSystem.result(leaf: value, of: field.named)
            return result.isNull ? completeNull(as: type, for: field) : .value(result)
        } catch {
            return fail(error.message, field)
        }
    }

    private func complete<Element>(
        list elements: [Element], of type: ResolvedType, for field: SelectedField,
        _ complete: (Element) -> CompletedValue
    ) -> CompletedValue {
        var values: [ResponseValue] = []
        values.reserveCapacity(elements.count)
        let missingMark = missing.count
        for element in elements {
            let mark = failures.count
            let completed = complete(element)
            if failures.count > mark { step(.index(values.count), since: mark) }
            guard add(completed, isNonNull: type.isNonNull, to: &values) else { return fail(since: missingMark) }
        }
        return missing.count == missingMark ? .value(.list(values)) : suspend(values, .list(type), since: missingMark)
    }

    /// Adds a completed value to the values of its container. Returns `false` if the container has failed with it.
    @inline(__always)
    private func add(_ completed: CompletedValue, isNonNull: Bool, to values: inout [ResponseValue]) -> Bool {
        switch completed {
        case .value(let value): values.append(value)
        case .failed:
            if isNonNull { return false }
            values.append(.null)
        case .suspended:
            if let suspension = takeSuspension() {
                missing.append(.init(place: values.count, suspension: suspension))
            }
            values.append(.null)
        }
        return true
    }

    private func completeNull(as type: ResolvedType, for field: SelectedField) -> CompletedValue {
        guard type.isNonNull else { return .value(.null) }
        return fail("Cannot return null for non-nullable field \(field.parent.name).\(field.name).", field)
    }

    /// The type of an object that a field returned. Reports an error if the field cannot return this type.
    private func objectType(of object: any ResolvableObject<Context>, for field: SelectedField) -> DeclaredType? {
        let named = field.named
        if named.kind == .object { return named }
        let name = object.typeName
        guard let type = typeSystem.type(name), type.kind == .object else {
            _ = fail(
                "Abstract type \"\(named.name)\" must resolve to an Object type at runtime for field "
                    + "\"\(field.parent.name).\(field.name)\", not to \"\(name)\".", field)
            return nil
        }
        guard named.possibleTypes.contains(type.number) else {
            _ = fail("Runtime Object type \"\(name)\" is not a possible type for \"\(named.name)\".", field)
            return nil
        }
        return type
    }

    // MARK: Suspensions

    private func suspend(_ suspension: Suspension<Context>) -> CompletedValue {
        self.suspension = suspension
        return .suspended
    }

    /// Suspends a container with `values`, of which those are missing that were added since `mark`.
    private func suspend(
        _ values: [ResponseValue], _ kind: Suspension<Context>.Container.Kind, since mark: Int
    ) -> CompletedValue {
        let parts = Array(missing[mark...])
        missing.removeSubrange(mark...)
        return suspend(.container(Suspension.Container(values: values, missing: parts, kind: kind)))
    }

    /// Fails a container. The values that it misses since `mark` are not needed any more.
    private func fail(since mark: Int) -> CompletedValue {
        missing.removeSubrange(mark...)
        return .failed
    }

    /// Takes the missing parts of the value that was just completed.
    func takeSuspension() -> Suspension<Context>? {
        defer { suspension = nil }
        return suspension
    }

    // MARK: Plans

    /// The selection on a type below a field. Reports an error if it cannot be planned.
    private func plan(_ field: SelectedField, of type: DeclaredType) -> ObjectSelection? {
        do {
            guard type !== field.named else { return try field.plan(of: type) }
            let key = PlanKey(field: ObjectIdentifier(field), type: type.number)
            if let known = plans[key] { return known }
            let plan = try field.plan(of: type)
            plans[key] = plan
            return plan
        } catch {
            _ = fail(error)
            return nil
        }
    }

    // MARK: Failures

    private func fail(_ error: GraphQLError) -> CompletedValue {
        failures.append(error)
        return .failed
    }

    private func fail(_ message: String, _ field: SelectedField) -> CompletedValue {
        fail(GraphQLError(message: message, locations: field.locations))
    }

    func fail(_ error: ResolverError, _ field: SelectedField) -> CompletedValue {
        fail(
            GraphQLError(
                message: error.message, locations: field.locations, errorType: error.errorType, data: error.data,
                errorInfo: error.errorInfo))
    }

    /// Adds an element to the paths of all errors since `mark`.
    func step(_ element: GraphQLError.PathElement, since mark: Int) {
        for index in mark..<failures.count { failures[index].path.append(element) }
    }

    func checkCancellation() -> Bool {
        if Task.isCancelled { isCancelled = true }
        return isCancelled
    }
}
