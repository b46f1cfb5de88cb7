package import TidelogSchema

/// The models that are synced.
package struct SyncModels: Sendable {
    /// The models by name.
    private let models: [String: Model]
    /// The names of the models. Parents come before their children. Otherwise the names are sorted.
    package let names: [String]

    /// The models of `schema`, without models whose records stay on this device.
    package init(_ schema: Schema) {
        var models: [String: Model] = [:]
        for model in schema.models where !model.isLocalOnly {
            models[model.name] = Model(model, in: schema)
        }
        var names: [String] = []
        var rest = models.keys.sorted()
        while !rest.isEmpty {
            // Models that form a cycle have no order, so the first of them comes first.
            let next =
                rest.first { name in
                    (models[name]?.parents ?? []).allSatisfy { $0.model == name || !rest.contains($0.model) }
                } ?? rest[0]
            names.append(next)
            rest.removeAll { $0 == next }
        }
        (self.models, self.names) = (models, names)
    }

    package subscript(name: String) -> Model? { models[name] }

    /// How the queries of models use an index by time.
    package var indexUses: [String: Inbox.IndexUse] { models.compactMapValues(\.indexUse) }
}

extension SyncModels {
    /// The part of a model's schema that the sync engine uses.
    package struct Model: Sendable {
        /// The fields that contain the key of a record of another model.
        package struct Parent: Sendable {
            package let model: String
            package let fields: [String]
        }

        /// The model's name.
        package let name: String
        /// The fields of the key, in order.
        package let key: [String]
        /// The fields that a client may set, including the key.
        package let writable: Set<String>
        /// The fields that are not part of the key, in the order of the schema.
        package let contents: [String]
        /// Whether the records have a time that tells their states apart at a server without versions.
        package let hasStamp: Bool
        /// Whether devices write a tag into each record (``RecordStamp/tagField``).
        package let hasTag: Bool
        /// Whether a deletion marks the record at a server without versions, so that the server keeps it.
        package let marksDeletions: Bool
        /// The indexes over which a server without versions finds the changes since a time.
        package let timeIndexes: [TimeIndex]
        /// The fields that a device never sends to a server without versions, although a client may set some of them.
        let unsent: [String]
        package let parents: [Parent]

        init(_ model: ModelSchema, in schema: Schema) {
            name = model.name
            key = model.primaryKey
            contents = model.fields.map(\.name).filter { !model.primaryKey.contains($0) }
            let types = Dictionary(model.fields.map { ($0.name, $0.type) }) { first, _ in first }
            hasStamp = [.dateTime, .string].contains(types[RecordStamp.timeField])
            hasTag = types[RecordStamp.tagField] == .string
            // Without tags, the field may belong to the app alone.
            marksDeletions = hasTag && types[RecordStamp.deletionField] == .dateTime
            unsent = ["createdAt", RecordStamp.timeField] + (hasTag ? [RecordStamp.tagField] : [])
            writable = Set(model.fields.filter { !$0.isReadOnly }.map(\.name)).union(model.primaryKey)
            let parents: [Parent] = model.associations.compactMap { association in
                guard association.kind == .belongsTo || association.kind == .hasOne,
                    let target = schema.model(named: association.target), !association.fields.isEmpty,
                    association.fields.count == target.primaryKey.count,
                    association.kind == .belongsTo || association.fields != model.primaryKey
                else { return nil }
                return Parent(model: target.name, fields: association.fields)
            }
            self.parents = parents
            timeIndexes = model.indexes.compactMap { TimeIndex($0, of: model, parents, in: schema) }
        }

        /// How queries use the model's indexes by time; `nil` if there is none.
        fileprivate var indexUse: Inbox.IndexUse? {
            guard !timeIndexes.isEmpty else { return nil }
            let parents = timeIndexes.compactMap(\.parent)
            // A person may get access to further parents, whose records are older than the changes.
            return Inbox.IndexUse(parents: parents, findsDeletions: marksDeletions && parents.isEmpty)
        }

        /// The records that `row` refers to as its parents.
        package func parents(of row: Record) -> [RecordReference] {
            parents.compactMap { parent in
                let components = parent.fields.compactMap { row[$0] }
                guard components.count == parent.fields.count else { return nil }
                return RecordReference(model: parent.model, id: RecordID(components))
            }
        }

        /// The reference of the record in `row`; `nil` if a part of its key is missing.
        package func reference(of row: Record) -> RecordReference? {
            let components = key.compactMap { row[$0] }
            return components.count == key.count ? RecordReference(model: name, id: RecordID(components)) : nil
        }
    }
}
