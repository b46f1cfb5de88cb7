package import TidelogCore
internal import TidelogWire

extension API {
    /// The name of the index on the time of the last change. The service finds changed records by this index.
    package static let changeIndex = "_byLastChangedAt"

    /// The schema of the store in which a server keeps the records of this API.
    ///
    /// The stored schema has everything that the schema declares and implies, the owner fields that access rules imply, and
    /// three metadata fields per model.
    ///
    /// No stored field is read-only, because a server decides what is stored. The stored schema has no one-to-one relations:
    /// Core would check them against tombstones. A service follows such relations by ``ModelAPI/relations`` instead.
    package var storedSchema: Schema {
        var stored = schema
        for index in stored.models.indices {
            let model = stored.models[index]
            let implied = models[model.name]?.impliedOwnerFields ?? []
            stored.models[index].fields.removeAll { Metadata.names.contains($0.name) }
            stored.models[index].fields += implied.map { FieldSchema($0, .string) } + Metadata.fields
            for field in stored.models[index].fields.indices { stored.models[index].fields[field].isReadOnly = false }
            stored.models[index].indexes.append(
                IndexSchema(name: Self.changeIndex, fields: [Metadata.lastChangedAt]))
            stored.models[index].associations.removeAll { $0.kind == .hasOne }
        }
        return stored
    }
}
