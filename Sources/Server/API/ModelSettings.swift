internal import TidelogGraphQL
internal import TidelogWire

/// The settings of `@model`: the operations of a model and its timestamps, including the defaults.
struct ModelSettings {
    private let operations: ModelOperations
    /// The name of the field for the time of creation; `nil` if there is none.
    private(set) var createdAt: String? = "createdAt"
    /// The name of the field for the time of the last change; `nil` if there is none.
    private(set) var updatedAt: String? = "updatedAt"

    /// - Parameter directive: The model's `@model` directive, with valid arguments.
    init(model: String, directive: Directive?) {
        operations = ModelOperations(model: model, directives: directive.map { [$0.printed()] } ?? [])
        let timestamps = directive?.arguments["timestamps"]
        if timestamps?.isNull == true {
            (createdAt, updatedAt) = (nil, nil)
        } else {
            createdAt = Self.name(timestamps, "createdAt")
            updatedAt = Self.name(timestamps, "updatedAt")
        }
    }

    /// The name of the query for one record, `nil` if there is none.
    var get: String? { operations.get }
    /// The name of the query for lists, `nil` if there is none.
    var list: String? { operations.list }
    /// The name of the query for changed records, `nil` if there is none.
    var sync: String? { operations.sync }
    /// Whether the rules of the model apply to its subscriptions.
    var level: ModelOperations.SubscriptionLevel { operations.level }

    /// The names of the mutations that the model has.
    var mutations: [Mutation: String] {
        var mutations: [Mutation: String] = [:]
        mutations[.create] = operations.create
        mutations[.update] = operations.update
        mutations[.delete] = operations.delete
        return mutations
    }

    /// The names of the subscriptions to each mutation. Several mutations may have the same subscription name.
    var subscriptions: [Mutation: [String]] {
        [.create: operations.onCreate, .update: operations.onUpdate, .delete: operations.onDelete]
            .filter { !$0.value.isEmpty }
    }

    /// The names of the timestamp fields.
    var timestamps: [String] { [createdAt, updatedAt].compactMap { $0 } }

    /// The name that `value` has under `key`, or the key itself if there is no such name. `nil` if the name is null.
    private static func name(_ value: Value?, _ key: String) -> String? {
        guard let given = value?[key] else { return key }
        return given.string
    }
}
