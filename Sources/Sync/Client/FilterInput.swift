internal import TidelogCore
internal import TidelogJSON

/// Writes predicates as the filter inputs of AppSync's API.
struct FilterInput {
    /// The three kinds of input, which offer different operators.
    enum Kind {
        case list
        case condition
        case subscription
    }

    private let kind: Kind
    private let model: ModelSchema

    init(_ kind: Kind, _ model: ModelSchema) {
        self.kind = kind
        self.model = model
    }

    /// The input as JSON; `nil` if every record fulfils the predicate.
    func json(_ predicate: QueryPredicate) throws(GraphQLClientError) -> [UInt8]? {
        if predicate.isAlwaysTrue { return nil }
        var writer = JSONWriter()
        try write(predicate, to: &writer)
        return writer.bytes
    }

    private func write(_ predicate: QueryPredicate, to writer: inout JSONWriter) throws(GraphQLClientError) {
        switch predicate {
        case .all: throw unsupported("part of it holds for every record")
        case .and(let members): try write("and", members.filter { !$0.isAlwaysTrue }, to: &writer)
        case .or(let members): try write("or", members, to: &writer)
        case .not(let inner): try write(not: inner, to: &writer)
        case .field(let name, let comparison): try write(name, comparison, to: &writer)
        case .related(let name, .field("size", let comparison)):
            try write(name, ofSize: true, comparison, to: &writer)
        case .related(let name, _): throw unsupported("\(name) is a relation or an embedded value")
        }
    }

    private func write(
        _ name: String, _ members: [QueryPredicate], to writer: inout JSONWriter
    ) throws(GraphQLClientError) {
        guard !members.isEmpty else { throw unsupported("an alternative without members holds for no record") }
        writer.beginObject()
        writer.key(name)
        writer.beginArray()
        for member in members { try write(member, to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    /// Subscriptions have no `not`. A negation becomes the opposite operator there, if one exists.
    private func write(not predicate: QueryPredicate, to writer: inout JSONWriter) throws(GraphQLClientError) {
        switch predicate {
        case .not(let inner): return try write(inner, to: &writer)
        case .field(let name, .equal(let value)): return try write(name, .notEqual(value), to: &writer)
        case .field(let name, .notEqual(let value)): return try write(name, .equal(value), to: &writer)
        case .field(let name, .contains(let value)): return try write(name, .notContains(value), to: &writer)
        case .field(let name, .notContains(let value)): return try write(name, .contains(value), to: &writer)
        default: break
        }
        guard kind != .subscription else { throw unsupported("filters of subscriptions have no negation of this") }
        writer.beginObject()
        writer.key("not")
        try write(predicate, to: &writer)
        writer.endObject()
    }

    // MARK: - One field

    /// Writes a comparison of a field, or of its size.
    private func write(
        _ name: String, ofSize: Bool = false, _ comparison: QueryPredicate.Comparison, to writer: inout JSONWriter
    ) throws(GraphQLClientError) {
        guard let field = model.field(named: name) else { throw unsupported("the model has no field \(name)") }
        if kind == .condition, model.primaryKey.contains(name) { throw unsupported("\(name) is part of the key") }
        let (test, value) = try test(comparison)
        guard (ofSize ? operatorsOfSize(of: field) : operators(of: field)).contains(test) else {
            let subject = ofSize ? "the size of \(name)" : name
            throw unsupported("the API has no operator \(test) for \(subject) here")
        }
        writer.beginObject()
        writer.key(name)
        writer.beginObject()
        if ofSize {
            writer.key("size")
            writer.beginObject()
        }
        writer.key(test)
        writer.value(value)
        if ofSize { writer.endObject() }
        writer.endObject()
        writer.endObject()
    }

    /// The operator of the API, and the value to compare with.
    private func test(
        _ comparison: QueryPredicate.Comparison
    ) throws(GraphQLClientError) -> (String, FieldValue) {
        switch comparison {
        case .equal(nil): ("attributeExists", .bool(false))
        case .notEqual(nil): ("attributeExists", .bool(true))
        case .equal(let value?): ("eq", value)
        case .notEqual(let value?): ("ne", value)
        case .less(let value): ("lt", value)
        case .lessOrEqual(let value): ("le", value)
        case .greater(let value): ("gt", value)
        case .greaterOrEqual(let value): ("ge", value)
        case .between(let low, let high): ("between", .list([low, high]))
        case .beginsWith(let text): ("beginsWith", .string(text))
        case .contains(let value): ("contains", value)
        case .notContains(let value): ("notContains", value)
        case .endsWith: throw unsupported("the API does not compare the ends of texts")
        case .ignoringCase: throw unsupported("the API tells upper and lower case apart")
        }
    }

    /// Only texts have a size in the API, and subscriptions do not compare it.
    private func operatorsOfSize(of field: FieldSchema) -> Set<String> {
        let isText = field.type == .string || field.type == .id
        return isText && kind != .subscription ? Self.equality.union(Self.order) : []
    }

    private static let equality: Set = ["eq", "ne"]
    private static let order: Set = ["lt", "le", "gt", "ge", "between"]

    private func operators(of field: FieldSchema) -> Set<String> {
        let (equality, order) = (Self.equality, Self.order)
        let text: Set = ["contains", "notContains", "beginsWith"]
        let existence: Set = kind == .subscription ? [] : ["attributeExists"]
        return switch field.type {
        case .embedded: []
        case .enumeration: equality
        case .bool: equality.union(existence)
        case .int, .double, .timestamp, .date, .time, .dateTime: equality.union(order).union(existence)
        case .id, .string: equality.union(order).union(text).union(existence)
        case .list(let element, _):
            switch element.innermostElement {
            case .embedded: []
            case .enumeration: ["contains", "notContains"]
            case .id, .string: existence.union(["contains", "notContains"])
            default: existence
            }
        }
    }

    private func unsupported(_ reason: String) -> GraphQLClientError {
        GraphQLClientError(
            .unsupportedPredicate, "The server's API cannot express the predicate on \(model.name): \(reason).")
    }
}

extension QueryPredicate {
    /// Whether the form of the predicate shows that it holds for every record.
    fileprivate var isAlwaysTrue: Bool {
        switch self {
        case .all: true
        case .and(let members): members.allSatisfy(\.isAlwaysTrue)
        default: false
        }
    }
}
