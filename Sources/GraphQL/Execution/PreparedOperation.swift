/// An operation that is ready to be executed, once or for every event of a subscription: variables are coerced.
package struct PreparedOperation: Sendable {
    /// Whether it reads, writes or subscribes.
    package let kind: OperationType
    /// Its name, if it has one.
    package let name: String?
    /// The root type and what is selected of it; of a subscription exactly one field.
    package let root: ObjectSelection
    private let typeSystem: TypeSystem

    /// Chooses an operation of a valid document and coerces its variables (§6.1).
    ///
    /// - Throws: what is wrong with the request; nothing of it may be executed then.
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

    /// Executes it over a root object; the fields of a mutation one after the other (§6.2).
    ///
    /// For a subscription the object stands for one event, which gives the value of the one field.
    package func execute<Context: AnyObject & Sendable>(
        over object: any ResolvableObject<Context>, in context: Context
    ) async throws(CancellationError) -> ExecutionResult {
        let execution = Execution(typeSystem: typeSystem, root: root, context: context)
        let data = await execution.run(over: object, isSerial: kind == .mutation)
        if execution.isCancelled { throw CancellationError() }
        return ExecutionResult(data: data, errors: execution.errors)
    }
}

/// Why a request is not executed.
package struct RequestErrors: Error, Sendable, Hashable {
    /// The errors, in order.
    package let errors: [GraphQLError]
    /// What the errors are about.
    package let subject: Subject

    /// What errors are about.
    package enum Subject: Sendable, Hashable {
        /// The text is no document at all, or it is too large for one.
        case syntax
        /// The document has several operations, and the request does not name one.
        case operationName
        /// The document or its variables do not fit the type system.
        case validity
    }

    fileprivate init(_ errors: [GraphQLError], _ subject: Subject) { (self.errors, self.subject) = (errors, subject) }

    /// Errors, in order.
    package init(errors: [GraphQLError]) { self.init(errors, .validity) }

    /// One error.
    package init(_ error: GraphQLError) { self.init(errors: [error]) }

    /// What is wrong with the text of a document.
    package init(_ error: GraphQLSyntaxError) {
        errors = [GraphQLError(message: error.message, locations: [error.location])]
        subject = .syntax
    }
}

/// What an execution gives (§7.1).
package struct ExecutionResult: Sendable, Hashable {
    /// The response; null if an error took all of it.
    package var data: ResponseValue
    /// The errors of fields, in the order in which they came up.
    package var errors: [GraphQLError]
}
