internal import Synchronization

/// A field of a selection, planned once for all objects of its type: its arguments are coerced, its fragments merged.
package final class SelectedField: Sendable {
    /// Who answers for a field.
    enum Source: Sendable {
        case object
        case typeName
        case introspection
    }

    /// The name of its member in the response.
    package let responseName: String
    /// The field of the type system.
    package let declared: DeclaredField
    /// The object type that it is selected of.
    package let parent: DeclaredType
    /// Its coerced arguments; one without a value and a default is not there.
    package let arguments: InputObject
    let source: Source
    /// The type of its value.
    let type: ResolvedType
    let isNonNull: Bool
    /// The named type of its value.
    let named: DeclaredType
    /// Why its arguments cannot be coerced.
    let argumentError: GraphQLError?
    private let spans: [SourceSpan]
    private let sets: [SelectionSet]
    private let planner: SelectionPlanner
    /// What is selected of the type of the value, once it was planned. A resolver that looks ahead and the execution plan
    /// it once together.
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

    /// Where it stands in the document.
    var locations: [SourceLocation] { spans.map { planner.document.location(of: $0) } }

    /// Its name.
    package var name: String { declared.name }

    /// The value of an argument; nil if it has none.
    package subscript(argument name: String) -> InputValue? { arguments[name] }

    /// What is selected below it: of an object type as it is, of an interface or a union for one of its objects.
    ///
    /// Nil if nothing can be selected of that type here, or if `@skip` or `@include` there have no value.
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

/// The fields that are selected of an object type, fragments merged, in the order of the response.
package final class ObjectSelection: Sendable {
    /// The object type.
    package let type: DeclaredType
    /// The fields, in order.
    package let fields: [SelectedField]
    /// Their response names.
    package let names: [String]

    init(type: DeclaredType, fields: [SelectedField]) {
        self.type = type
        self.fields = fields
        names = fields.map(\.responseName)
    }

    /// The first selection of the field of that name.
    package func first(_ name: String) -> SelectedField? { fields.first { $0.name == name } }
}
