/// The changes from one schema to another.
///
/// The difference is empty only if both schemas are equal. Types, fields, indexes and relations are matched by name, so a
/// renaming is an addition and a removal. ``suspectedRenamings`` finds such pairs.
public struct SchemaDifference: Sendable, Hashable {
    /// The status of a model.
    public enum Status: String, Sendable, Hashable {
        /// The model does not change.
        case noChange = "No Change"
        /// The model is new.
        case create = "Create"
        /// The model changes, and a store with data can apply the change.
        case update = "Update"
        /// The model changes or is removed in a way that a store with data refuses.
        case refused = "Refused"
    }

    /// All changes, type by type in the order of the new schema. Removed types come last.
    public let changes: [SchemaChange]
    /// The renames that the changes look like: something is removed, and something with the same content is new.
    public let suspectedRenamings: [SuspectedRenaming]
    private let newModels: Set<String>
    private let reached: [String: Set<String>]

    /// The changes from `old` to `new`.
    public init(from old: Schema, to new: Schema) {
        var comparison = SchemaComparison()
        comparison.compare(old, new)
        changes = comparison.changes
        assert(changes.isEmpty == (old == new), "a difference names each change")
        suspectedRenamings = SuspectedRenaming.all(from: old, to: new)
        newModels = Set(new.models.map(\.name)).subtracting(old.models.map(\.name))
        reached = old.reachedTypes.merging(new.reachedTypes) { $0.union($1) }
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a store with data can apply all changes.
    public var isLossless: Bool { changes.allSatisfy(\.isLossless) }

    /// The changes of the model called `name` and of every type that it embeds.
    public func changes(ofModel name: String) -> [SchemaChange] {
        let types = reached[name, default: []].union([name])
        return changes.filter { $0.type.map(types.contains) ?? false }
    }

    /// The status of the model called `name`. Changes of the types that it embeds are included.
    public func status(ofModel name: String) -> Status {
        let changes = changes(ofModel: name)
        if !changes.allSatisfy(\.isLossless) { return .refused }
        if newModels.contains(name) { return .create }
        return changes.isEmpty ? .noChange : .update
    }
}

extension Schema {
    /// For each model by name, the embedded types and enums that its rows contain, at any depth.
    package var reachedTypes: [String: Set<String>] {
        let embedded = Dictionary(embeddedTypes.map { ($0.name, $0.fields) }) { first, _ in first }
        var reached: [String: Set<String>] = [:]
        for model in models {
            var names = Set<String>()
            var unvisited = model.fields
            while let field = unvisited.popLast() {
                var type = field.type
                while case .list(let element, _) = type { type = element }
                switch type {
                case .enumeration(let name): names.insert(name)
                case .embedded(let name):
                    if names.insert(name).inserted { unvisited += embedded[name] ?? [] }
                default: break
                }
            }
            reached[model.name] = names
        }
        return reached
    }
}
