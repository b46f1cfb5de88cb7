internal import TidelogSchemaDirectives

/// The operations that a model has. They have the default names, except where `@model` gives another name or null. An
/// operation that does not exist is `nil`.
package struct ModelOperations: Sendable, Hashable {
    /// Whether a model has subscriptions, and whether its access rules apply to them.
    package enum SubscriptionLevel: String, Sendable, Hashable {
        case off, `public`, on
    }

    /// The query for one record.
    package private(set) var get: String?
    /// The query for lists.
    package private(set) var list: String?
    /// The query for changed records.
    package private(set) var sync: String?
    package private(set) var create: String?
    package private(set) var update: String?
    package private(set) var delete: String?
    /// The subscriptions to created records. A model may have several, and a subscription may be about several mutations.
    package private(set) var onCreate: [String] = []
    package private(set) var onUpdate: [String] = []
    package private(set) var onDelete: [String] = []
    /// Whether the access rules of the model apply to its subscriptions.
    package private(set) var level = SubscriptionLevel.on

    /// The operations of the model `model`.
    ///
    /// - Parameter directives: The directives of the model as texts. Only `@model` is read.
    package init(model: String, directives: [String] = []) {
        let names = OperationNames(model: model)
        let settings = directives.lazy.compactMap { DirectiveText.arguments(of: "model", in: $0)?.first }.first
        let queries = settings?.member("queries")
        if queries != .null {
            get = Self.name(queries, "get", names.get)
            list = Self.name(queries, "list", names.list)
            sync = Self.name(queries, "sync", names.sync)
        }
        let mutations = settings?.member("mutations")
        if mutations != .null {
            create = Self.name(mutations, "create", names.create)
            update = Self.name(mutations, "update", names.update)
            delete = Self.name(mutations, "delete", names.delete)
        }
        let subscriptions = settings?.member("subscriptions")
        if let text = subscriptions?["level"]?.text { level = SubscriptionLevel(rawValue: text) ?? .on }
        guard subscriptions != .null, level != .off else { return }
        // There is nothing to subscribe to without the mutation.
        if create != nil { onCreate = Self.names(subscriptions, "onCreate", names.onCreate) }
        if update != nil { onUpdate = Self.names(subscriptions, "onUpdate", names.onUpdate) }
        if delete != nil { onDelete = Self.names(subscriptions, "onDelete", names.onDelete) }
    }

    private static func name(_ group: DirectiveText.Value?, _ key: String, _ standard: String) -> String? {
        guard let given = group?.member(key) else { return standard }
        return given.text
    }

    private static func names(_ group: DirectiveText.Value?, _ key: String, _ standard: String) -> [String] {
        guard let given = group?.member(key) else { return [standard] }
        return given.elements.compactMap(\.text)
    }

    /// Two models of a schema whose operations or types have the same names in the API.
    package struct NameClash: Sendable {
        /// The names of the two models. The second one comes later in the schema.
        package let models: (String, String)
        /// The description of the clash, as a part of a sentence.
        package let message: String
        /// Advice on what to do, as a part of a sentence.
        package let advice: String

        /// The first clash among the models; `nil` if each operation and each type belongs to one model.
        ///
        /// - Parameter models: Each model with its operations, in the order of the schema.
        package static func first(among models: [(name: String, operations: ModelOperations)]) -> NameClash? {
            var owners: [String: String] = [:]
            for (name, operations) in models {
                // The types of an API begin with an upper-case letter.
                for place in ["type \(Names.upperFirst(name))"] + operations.places.map({ "\($0.kind) \($0.name)" }) {
                    guard let other = owners[place] else {
                        owners[place] = name
                        continue
                    }
                    guard other != name, let first = models.first(where: { $0.name == other }) else { continue }
                    return NameClash(first, (name, operations))
                }
            }
            return nil
        }

        private init(_ first: (name: String, operations: ModelOperations), _ second: (String, ModelOperations)) {
            models = (first.name, second.0)
            guard Names.upperFirst(first.name) != Names.upperFirst(second.0) else {
                message = "the types of the models \(first.name) and \(second.0) have the same names in the API"
                advice = "rename one of the two models"
                return
            }
            let taken = Set(first.operations.places.map { "\($0.kind) \($0.name)" })
            let shared = second.1.places.filter { taken.contains("\($0.kind) \($0.name)") }
            var fields: [String: [String]] = [:]
            for place in shared { fields[place.group, default: []].append("\(place.key): \"…\"") }
            let arguments = fields.sorted { $0.key < $1.key }.map { "\($0.key): {\($0.value.joined(separator: ", "))}" }
            message = "the models \(first.name) and \(second.0) both have the \(shared[0].kind) \(shared[0].name)"
            advice =
                "rename one of the two models, or its operations: write "
                + "\"@model(\(arguments.joined(separator: ", ")))\" on \(second.0)"
        }
    }

    /// An operation with its place in `@model`.
    struct Place {
        let kind: String
        let group: String
        let key: String
        let name: String
    }

    /// All operations with their places in `@model`.
    var places: [Place] {
        let queries = [("get", get), ("list", list), ("sync", sync)]
        let mutations = [("create", create), ("update", update), ("delete", delete)]
        let subscriptions = [("onCreate", onCreate), ("onUpdate", onUpdate), ("onDelete", onDelete)]
        return queries.compactMap { key, name in name.map { Place(kind: "query", group: "queries", key: key, name: $0) }
        }
            + mutations.compactMap { key, name in
                name.map { Place(kind: "mutation", group: "mutations", key: key, name: $0) }
            }
            + subscriptions.flatMap { key, names in
                names.map { Place(kind: "subscription", group: "subscriptions", key: key, name: $0) }
            }
    }
}
