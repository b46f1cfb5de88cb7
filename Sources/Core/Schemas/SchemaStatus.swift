/// The status of each model when a store is opened with a different schema and without migrations.
public struct SchemaStatus: Sendable, Hashable {
    /// The status of one model.
    public struct Model: Sendable, Hashable {
        /// The model's name.
        public let name: String
        /// The model's status.
        public let status: SchemaDifference.Status
        /// The model's changes between the schemas, including changes of the types that it embeds.
        public let changes: [SchemaChange]
    }

    /// The models of the new schema in its order, followed by the models that only the store has.
    public let models: [Model]

    /// The status of a store with the schema `stored` when it is opened with the schema `declared`.
    ///
    /// Items that `declared` does not have are reported as removed, but the store keeps them.
    public init(of stored: Schema, under declared: Schema) {
        let difference = SchemaDifference(from: stored, to: declared)
        let removed = stored.models.filter { declared.model(named: $0.name) == nil }
        models = (declared.models + removed).map { model in
            Model(
                name: model.name, status: difference.status(ofModel: model.name),
                changes: difference.changes(ofModel: model.name))
        }
    }

    /// Whether the store refuses the schema unless migrations cover the changes.
    public var isRefused: Bool { models.contains { $0.status == .refused } }
}
