internal import TidelogSynchronization

/// A selected field. It is planned once for all objects of its type: its arguments are coerced, and its fragments are merged.
package final class SelectedField: Sendable {
    /// The source of a field's value.
    enum Source: Sendable {
        case object
        case typeName
        case introspection
    }

    /// The name of the field in the response.
    package let responseName: String
    /// The field in the type system.
    package let declared: DeclaredField
    /// The object type from which the field is selected.
    package let parent: DeclaredType
    /// The coerced arguments. An argument without a value and without a default is left out.
    package let arguments: InputObject
    let source: Source
    /// The type of the field's value.
    let type: ResolvedType
    let isNonNull: Bool
    /// The named type of the field's value, inside all wrappers.
    let named: DeclaredType
    /// The error of arguments that cannot be coerced.
    let argumentError: GraphQLError?
    private let spans: [SourceSpan]
    private let sets: [SelectionSet]
    private let planner: SelectionPlanner
    /// The selection on the type of the value, after it was planned. The plan is shared between the execution and a resolver
    /// that inspects the selection before.
    private let planned = AtomicLazyReference<ObjectSelection>()

    init(
        nodes: [Field], declared: DeclaredField, parent: DeclaredType, arguments: InputObject,
        argumentError: GraphQLError?, planner: SelectionPlanner
    ) {
        responseName = nodes[0].responseName
        self.declared = declared
        self.parent = parent
        self.arguments = arguments
        self.argumentError = argumentError
        self.planner = planner
        type = declared.type
        isNonNull = declared.type.isNonNull
        named = planner.typeSystem.innermost(declared.type)
        sets = nodes.compactMap(\.selectionSet)
        spans = nodes.map(\.span)
        source =
            switch declared.name {
            case "__typename": .typeName
            case "__schema", "__type": .introspection
            default: .object
            }
    }

    /// The positions of the field in the document.
    var locations: [SourceLocation] { spans.map { planner.document.location(of: $0) } }

    /// The name of the field.
    package var name: String { declared.name }

    /// Whether the arguments could be coerced. If not, the field is an error, and its resolver is not called.
    package var hasValidArguments: Bool { argumentError == nil }

    /// The value of an argument; `nil` if it has none.
    package subscript(argument name: String) -> InputValue? { arguments[name] }

    /// The selection below the field. If the field's type is an interface or a union, `typeName` names one of its object types.
    ///
    /// `nil` if the field cannot return objects of this type, or if `@skip` or `@include` in the selection has no value.
    package func selection(of typeName: String? = nil) -> ObjectSelection? {
        let type = typeName.map { planner.typeSystem.type($0) } ?? named
        guard let type, type.kind == .object, named.possibleTypes.contains(type.number) else { return nil }
        return try? plan(of: type)
    }

    func plan(of type: DeclaredType) throws(GraphQLError) -> ObjectSelection {
        guard type === named else { return try planner.plan(sets, of: type) }
        if let known = planned.load() { return known }
        return planned.storeIfNil(try planner.plan(sets, of: type))
    }
}

/// The fields that are selected from an object type, in the order of the response. Fragments are already merged.
package final class ObjectSelection: Sendable {
    /// The object type.
    package let type: DeclaredType
    /// The fields, in order.
    package let fields: [SelectedField]
    /// The names of the fields in the response.
    let names: ResponseObject.Names

    init(type: DeclaredType, fields: [SelectedField]) {
        self.type = type
        self.fields = fields
        names = ResponseObject.Names(selected: fields.map(\.responseName))
    }

    /// The first selected field with this name.
    package func first(_ name: String) -> SelectedField? { fields.first { $0.name == name } }
}
