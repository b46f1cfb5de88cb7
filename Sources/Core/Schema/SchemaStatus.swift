/// What a store makes of each model when it is opened with another schema, and without migrations.
public struct SchemaStatus: Sendable, Hashable {
    /// What becomes of one model.
    public struct Model: Sendable, Hashable {
        /// The model's name.
        public let name: String
        /// What becomes of it.
        public let status: SchemaDifference.Status
        /// How it differs between the schemas, with the types that it embeds.
        public let changes: [SchemaChange]
    }

    /// The models of the new schema in its order, then those that only the store has.
    public let models: [Model]

    /// What a store with the schema `stored` makes of `declared`. What `declared` leaves out is named as removed; the
    /// store keeps it.
    public init(of stored: Schema, under declared: Schema) {
        let difference = SchemaDifference(from: stored, to: declared)
        let removed = stored.models.filter { declared.model(named: $0.name) == nil }
        models = (declared.models + removed).map { model in
            Model(
                name: model.name, status: difference.status(ofModel: model.name),
                changes: difference.changes(ofModel: model.name))
        }
    }

    /// Whether the store refuses the schema, unless migrations cover what changes.
    public var isRefused: Bool { models.contains { $0.status == .refused } }
}
