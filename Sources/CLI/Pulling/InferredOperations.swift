internal import TidelogAgreement

/// The operations of a model, as far as an introspection shows them. An operation is recognised by its arguments and its type,
/// so that it may have any name.
struct InferredOperations {
    /// The query for one record.
    let get: String
    /// The query for lists; `nil` if there is none.
    let list: String?
    /// The query for changed records; `nil` if there is none.
    let sync: String?
    /// All mutations of the model.
    let mutations: [String]
    /// The arguments of `@model` that name the operations with other names than the default ones; empty if there are none.
    private(set) var arguments = ""
    /// The facts that the introspection does not contain, one sentence each.
    private(set) var notInferred: [String] = []

    /// The types of an API's operations.
    struct Roots {
        let query: IntrospectedType
        let mutation: IntrospectedType?
        let subscription: IntrospectedType?
    }

    /// - Returns: `nil` if there is no query for one record of `model`, or several queries that could be it.
    init?(of model: IntrospectedType, _ roots: Roots) {
        let names = OperationNames(model: model.name)
        let types = TypeNames(model: model.name)
        let isOne = { (field: IntrospectedType.Field) in field.type.name == model.name && !field.type.isList }
        let get = Self.operation(names.get, in: roots.query) { field in
            isOne(field) && !field.arguments.isEmpty
                && field.arguments.allSatisfy { $0.type.isRequired && model.field($0.name) != nil }
        }
        guard case .named(let get) = get else { return nil }
        let isPage = { (field: IntrospectedType.Field) in field.type.name == types.connection }
        let list = Self.operation(names.list, in: roots.query) { field in
            isPage(field) && field.has("limit") && !field.has("lastSync")
                && !field.arguments.contains { $0.type.isRequired }
        }
        let sync = Self.operation(names.sync, in: roots.query) { isPage($0) && $0.has("lastSync") }
        self.get = get
        self.list = list.name
        self.sync = sync.name
        let changes = [
            ("create", names.create, types.createInput), ("update", names.update, types.updateInput),
            ("delete", names.delete, types.deleteInput),
        ].map { key, name, input in
            (
                key, name,
                Self.operation(name, in: roots.mutation) { field in
                    isOne(field) && field.arguments.contains { $0.name == "input" && $0.type.name == input }
                }
            )
        }
        mutations = changes.compactMap(\.2.name)
        let queries = [("get", names.get, Operation.named(get)), ("list", names.list, list)]
        // Amplify's directive does not name the query for changed records. A server without conflict detection has none.
        let syncing = sync == .none ? [] : [("sync", names.sync, sync)]
        let pushes = Self.subscriptions(names, roots.subscription?.fields.filter(isOne).map(\.name) ?? [])
        let groups = [
            group("queries", queries + syncing, of: model.name), group("mutations", changes, of: model.name),
            group("subscriptions", mutations.isEmpty ? [] : pushes, of: model.name),
        ].compactMap { $0 }
        if !groups.isEmpty { arguments = "(\(groups.joined(separator: ", ")))" }
    }

    private enum Operation: Equatable {
        case none
        case named(String)
        case unclear

        var name: String? { if case .named(let name) = self { name } else { nil } }
    }

    /// The operation with the name `standard`, or else the only one that fits.
    private static func operation(
        _ standard: String, in type: IntrospectedType?, fits: (IntrospectedType.Field) -> Bool
    ) -> Operation {
        let found = (type?.fields ?? []).filter(fits).map(\.name)
        if found.contains(standard) { return .named(standard) }
        if found.count > 1 { return .unclear }
        return found.first.map { .named($0) } ?? .none
    }

    /// The subscriptions with default names. An introspection does not show which changes a subscription with another name is
    /// about.
    private static func subscriptions(_ names: OperationNames, _ found: [String]) -> [(String, String, Operation)] {
        [("onCreate", names.onCreate), ("onUpdate", names.onUpdate), ("onDelete", names.onDelete)].map { key, name in
            (key, name, found.contains(name) ? .named(name) : found.isEmpty ? .none : .unclear)
        }
    }

    /// The argument for a group of operations; `nil` if all have their default names.
    private mutating func group(_ name: String, _ operations: [(String, String, Operation)], of model: String)
        -> String?
    {
        if !operations.isEmpty, operations.allSatisfy({ $0.2 == .none }) { return "\(name): null" }
        var members: [String] = []
        for (key, standard, operation) in operations {
            switch operation {
            case .named(standard): break
            case .named(let other): members.append("\(key): \"\(other)\"")
            case .none: members.append("\(key): null")
            case .unclear:
                members.append("\(key): null")
                notInferred.append("Which operation of \(model) is its \(key); the schema says that there is none.")
            }
        }
        return members.isEmpty ? nil : "\(name): {\(members.joined(separator: ", "))}"
    }
}

extension IntrospectedType.Field {
    fileprivate func has(_ argument: String) -> Bool { arguments.contains { $0.name == argument } }
}
