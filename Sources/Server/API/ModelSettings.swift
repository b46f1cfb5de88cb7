internal import TidelogGraphQL
internal import TidelogWire

/// The settings of `@model`: the operations of a model, including the defaults.
struct ModelSettings {
    /// Whether the rules of a model apply to its subscriptions.
    enum SubscriptionLevel: String {
        case off, `public`, on
    }

    /// The name of the query for one record, `nil` if there is none.
    private(set) var get: String?
    /// The name of the query for lists, `nil` if there is none.
    private(set) var list: String?
    /// The name of the query for changed records, `nil` if there is none.
    private(set) var sync: String?
    /// The names of the mutations that the model has.
    private(set) var mutations: [Mutation: String] = [:]
    /// The names of the subscriptions to each mutation. Several mutations may have the same subscription name.
    private(set) var subscriptions: [Mutation: [String]] = [:]
    /// Whether the rules of the model apply to its subscriptions.
    private(set) var level = SubscriptionLevel.on
    /// The name of the field for the time of creation; `nil` if there is none.
    private(set) var createdAt: String? = "createdAt"
    /// The name of the field for the time of the last change; `nil` if there is none.
    private(set) var updatedAt: String? = "updatedAt"

    /// - Parameter directive: The model's `@model` directive, with valid arguments.
    init(model: String, directive: Directive?) {
        let names = OperationNames(model: model)
        let argument = { (name: String) in directive?.arguments[name] }
        if argument("queries")?.isNull != true {
            get = Self.name(argument("queries"), "get", names.get)
            list = Self.name(argument("queries"), "list", names.list)
            sync = Self.name(argument("queries"), "sync", names.sync)
        }
        if argument("mutations")?.isNull != true {
            for mutation in Mutation.allCases {
                mutations[mutation] = Self.name(argument("mutations"), mutation.rawValue, names[mutation])
            }
        }
        let subscriptions = argument("subscriptions")
        if let value = subscriptions?["level"], let text = value.enumName ?? value.string {
            level = SubscriptionLevel(rawValue: text) ?? .on
        }
        if subscriptions?.isNull != true, level != .off {
            for mutation in Mutation.allCases where mutations[mutation] != nil {
                let (key, name) = names.subscription(to: mutation)
                guard let given = subscriptions?[key] else {
                    self.subscriptions[mutation] = [name]
                    continue
                }
                self.subscriptions[mutation] = (given.elements ?? [given]).compactMap(\.string)
            }
        }
        if argument("timestamps")?.isNull == true {
            (createdAt, updatedAt) = (nil, nil)
        } else {
            createdAt = Self.name(argument("timestamps"), "createdAt", "createdAt")
            updatedAt = Self.name(argument("timestamps"), "updatedAt", "updatedAt")
        }
    }

    /// The names of the timestamp fields.
    var timestamps: [String] { [createdAt, updatedAt].compactMap { $0 } }

    /// The name that `value` has under `key`, or `standard` if there is no such key. `nil` if the value is null.
    private static func name(_ value: Value?, _ key: String, _ standard: String) -> String? {
        guard let given = value?[key] else { return standard }
        return given.string
    }
}

extension OperationNames {
    subscript(mutation: Mutation) -> String {
        switch mutation {
        case .create: create
        case .update: update
        case .delete: delete
        }
    }

    /// The key of a subscription in `@model`, and the default name of the subscription.
    func subscription(to mutation: Mutation) -> (key: String, name: String) {
        switch mutation {
        case .create: ("onCreate", onCreate)
        case .update: ("onUpdate", onUpdate)
        case .delete: ("onDelete", onDelete)
        }
    }
}
