/// Measures the operations of a document, before any costly work is done with them.
///
/// Each fragment is measured once. A fragment that spreads itself also counts once; a later rule refuses it.
struct LimitCheck {
    /// The measures of a selection set.
    private struct Measure {
        /// The depth of nested fields.
        var depth = 0
        /// The number of fields with an alias.
        var aliases = 0
        /// The depth of nested fields and fragments.
        var nesting = 0
        /// The depth of nested introspection fields that list the parts of a type.
        var lists = 0

        mutating func add(_ other: Measure) {
            depth = max(depth, other.depth)
            aliases = min(aliases + other.aliases, 1 << 30)
            nesting = max(nesting, other.nesting)
            lists = max(lists, other.lists)
        }
    }

    /// The introspection fields that list the parts of types and are nested too deeply.
    private(set) var deepIntrospections: [Field] = []
    private let document: RequestDocument
    private let options: ValidationOptions
    private var measures: [String: Measure] = [:]
    private var level = 0

    private static let listFields: Set = ["fields", "interfaces", "possibleTypes", "inputFields"]
    private static let listLimit = 3

    init(document: RequestDocument, options: ValidationOptions) {
        self.document = document
        self.options = options
    }

    /// The errors of operations that exceed a limit.
    mutating func run() -> [GraphQLError] {
        var errors: [GraphQLError] = []
        for definition in document.document.definitions where errors.isEmpty {
            let measure =
                switch definition {
                case .operation(let operation): measure(operation.selectionSet)
                case .fragment(let fragment): measure(fragment: fragment.name.value)
                default: Measure()
                }
            errors = complaints(measure).map {
                GraphQLError(message: $0, locations: [document.location(of: definition.span)])
            }
        }
        assert(level == 0, "every selection set that was entered was left")
        return errors
    }

    private func complaints(_ measure: Measure) -> [String] {
        if measure.nesting > ValidationOptions.nestingLimit {
            return ["Fragments are nested deeper than \(ValidationOptions.nestingLimit) levels."]
        }
        var messages: [String] = []
        if measure.depth > options.depthLimit {
            messages.append("Fields are nested deeper than \(options.depthLimit) levels.")
        }
        if measure.aliases > options.aliasLimit {
            messages.append("More than \(options.aliasLimit) fields have an alias.")
        }
        return messages
    }

    private mutating func measure(_ set: SelectionSet) -> Measure {
        var measure = Measure()
        level += 1
        defer { level -= 1 }
        guard level <= ValidationOptions.nestingLimit else {
            measure.nesting = ValidationOptions.nestingLimit + 1
            return measure
        }
        for selection in set.selections {
            measure.add(self.measure(selection))
            if measure.nesting > ValidationOptions.nestingLimit { break }
        }
        measure.nesting += 1
        return measure
    }

    private mutating func measure(_ selection: SelectionSet.Selection) -> Measure {
        switch selection {
        case .field(let field): measure(field)
        case .inlineFragment(let fragment): measure(fragment.selectionSet)
        case .fragmentSpread(let spread): measure(fragment: spread.name.value)
        }
    }

    private mutating func measure(fragment name: String) -> Measure {
        if let known = measures[name] { return known }
        guard let fragment = document.fragments[name] else { return Measure() }
        measures[name] = Measure()
        let measure = measure(fragment.selectionSet)
        measures[name] = measure
        return measure
    }

    private mutating func measure(_ field: Field) -> Measure {
        var measure = field.selectionSet.map { self.measure($0) } ?? Measure()
        let name = field.name.value
        if Self.listFields.contains(name) { measure.lists += 1 }
        if name == "__schema" || name == "__type" {
            if measure.lists >= Self.listLimit { deepIntrospections.append(field) }
            measure.depth = 0
        }
        measure.depth += 1
        if field.alias != nil { measure.aliases += 1 }
        return measure
    }
}
