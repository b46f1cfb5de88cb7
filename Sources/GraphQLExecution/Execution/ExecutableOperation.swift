/// An operation that is ready to be executed, with coerced variables. A subscription's operation is executed for every event.
package struct ExecutableOperation: Sendable {
    /// The kind of the operation: query, mutation or subscription.
    package let kind: OperationType
    /// The name of the operation, if it has one.
    package let name: String?
    /// The root type and its selected fields. A subscription has exactly one field.
    package let root: ObjectSelection
    private let typeSystem: TypeSystem

    /// Selects an operation of a valid document and coerces its variables (§6.1).
    ///
    /// - Throws: The errors of the request. The operation must not be executed then.
    package init(
        _ document: RequestDocument, typeSystem: TypeSystem, operationName: String? = nil,
        variables: InputObject = InputObject()
    ) throws(RequestErrors) {
        let operation = try Self.operation(operationName, of: document.document)
        kind = operation.operation
        name = operation.name?.value
        guard let type = typeSystem.rootType(kind) else {
            throw RequestErrors(
                GraphQLError(
                    message: "Schema is not configured to execute \(kind.rawValue) operation.",
                    locations: [document.location(of: operation.span)]))
        }
        var coercion = VariableCoercion(typeSystem: typeSystem, document: document)
        let given = Dictionary(variables.members.map { ($0.name, $0.value) }) { first, _ in first }
        for definition in operation.variables { coercion.coerce(definition, given[definition.variable.name.value]) }
        guard coercion.errors.isEmpty else { throw RequestErrors(errors: coercion.errors) }
        self.typeSystem = typeSystem
        let planner = SelectionPlanner(typeSystem: typeSystem, document: document, variables: coercion.values)
        do {
            root = try planner.plan([operation.selectionSet], of: type)
        } catch {
            throw RequestErrors(error)
        }
        if kind == .subscription, root.fields.count != 1 {
            throw RequestErrors(
                GraphQLError(
                    message: "A subscription must select exactly one field.",
                    locations: [document.location(of: operation.span)]))
        }
    }

    private static func operation(
        _ name: String?, of document: Document
    ) throws(RequestErrors) -> OperationDefinition {
        let operations = document.operations
        if let name {
            guard let operation = operations.last(where: { $0.name?.value.isExactly(name) ?? false }) else {
                throw RequestErrors(GraphQLError(message: "Unknown operation named \"\(name.prefix(100))\"."))
            }
            return operation
        }
        guard let operation = operations.first else {
            throw RequestErrors(GraphQLError(message: "Must provide an operation."))
        }
        guard operations.count == 1 else {
            let message = "Must provide operation name if query contains multiple operations."
            throw RequestErrors([GraphQLError(message: message)], .operationName)
        }
        return operation
    }

    /// Executes the operation with a root object. The fields of a mutation are executed one after another (§6.2).
    ///
    /// For a subscription, the root object represents one event and resolves the operation's one field.
    package func execute<Context: AnyObject & Sendable>(
        over object: any ResolvableObject<Context>, in context: Context
    ) async throws(CancellationError) -> Result {
        let execution = Execution(typeSystem: typeSystem, root: root, context: context)
        let data = await execution.run(over: object, isSerial: kind == .mutation)
        if execution.isCancelled { throw CancellationError() }
        return Result(data: data, errors: execution.errors)
    }

    /// The result of an execution (§7.1).
    package struct Result: Sendable, Hashable {
        /// The response data; null if an error removed all of it.
        package var data: ResponseValue
        /// The errors of fields, in the order in which they occurred.
        package var errors: [GraphQLError]
    }
}
