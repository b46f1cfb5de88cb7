/// What changes when one schema takes the place of another.
///
/// It is empty exactly where the two are equal. Types, fields, indexes and relations are matched by name: a rename is an
/// addition and a removal.
public struct SchemaDifference: Sendable, Hashable {
    /// What becomes of a model.
    public enum Status: String, Sendable, Hashable {
        /// Nothing of it changes.
        case noChange = "No Change"
        /// It is new.
        case create = "Create"
        /// It changes, and a store with data can take that.
        case update = "Update"
        /// It changes, or goes, in a way that a store with data refuses.
        case refused = "Refused"
    }

    /// Everything that changes, type by type in the order of the newer schema; what is dropped comes last.
    public let changes: [SchemaChange]
    private let newModels: Set<String>
    private let reached: [String: Set<String>]

    /// What changes from `old` to `new`.
    public init(from old: Schema, to new: Schema) {
        var comparison = SchemaComparison()
        comparison.compare(old, new)
        changes = comparison.changes
        newModels = Set(new.models.map(\.name)).subtracting(old.models.map(\.name))
        reached = old.reachedTypes.merging(new.reachedTypes) { $0.union($1) }
    }

    /// Whether nothing changes.
    public var isEmpty: Bool { changes.isEmpty }

    /// Whether a store with data can take every change.
    public var isLossless: Bool { changes.allSatisfy(\.isLossless) }

    /// The changes of the model called `name` and of every type that it embeds.
    public func changes(ofModel name: String) -> [SchemaChange] {
        let types = reached[name, default: []].union([name])
        return changes.filter { $0.type.map(types.contains) ?? false }
    }

    /// What becomes of the model called `name`, the changes of the types that it embeds included.
    public func status(ofModel name: String) -> Status {
        let changes = changes(ofModel: name)
        if !changes.allSatisfy(\.isLossless) { return .refused }
        if newModels.contains(name) { return .create }
        return changes.isEmpty ? .noChange : .update
    }
}

extension Schema {
    /// For each model by name, the embedded types and enums that its rows hold, however deep.
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
