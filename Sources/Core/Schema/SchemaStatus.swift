/// What a store makes of each model when it is opened with another schema, and without migrations.
public struct SchemaStatus: Sendable, Hashable {
    /// What becomes of one model.
    public struct Model: Sendable, Hashable {
        /// The model's name.
        public let name: String
        /// What becomes of it.
        public let status: SchemaDifference.Status
        /// What changes of it in the store, or, if it is refused, between the schemas.
        public let changes: [SchemaChange]
    }

    /// The models of the new schema in its order, then those that only the store has.
    public let models: [Model]

    /// What a store with the schema `stored` makes of `declared`. What `declared` leaves out stays in the store.
    public init(of stored: Schema, under declared: Schema) {
        let merged = declared.retaining(stored)
        let (asked, done) = (SchemaDifference(from: stored, to: declared), SchemaDifference(from: stored, to: merged))
        models = merged.models.map { model in
            let isRefused = asked.status(ofModel: model.name) == .refused
            let difference = isRefused ? asked : done
            return Model(
                name: model.name, status: difference.status(ofModel: model.name),
                changes: difference.changes(ofModel: model.name))
        }
    }

    /// Whether the store refuses the schema, unless migrations cover what changes.
    public var isRefused: Bool { models.contains { $0.status == .refused } }
}
