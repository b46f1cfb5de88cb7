package import TidelogCore
internal import TidelogWire

extension API {
    /// The name of the index by which what changed is found.
    package static let changeIndex = "_byLastChangedAt"

    /// The schema of the store that a server keeps the records of this API in: what the schema declares and implies, the
    /// fields for owners that rules imply, and three fields more a model.
    ///
    /// A server decides what is stored, so nothing is read-only. Relations one to one are left out: Core would check them
    /// against tombstones, and a service follows them by ``ModelAPI/relations``.
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
