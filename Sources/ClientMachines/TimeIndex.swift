internal import TidelogSchema

/// An index of the server that sorts the records of each partition by the time of their last change. A query over it finds the
/// changes since a time, without reading the other records of the table.
package struct TimeIndex: Sendable, Hashable {
    /// The server's query over the index.
    package let query: String
    /// The field whose value names the partition.
    package let partition: String
    /// The model whose keys are the partitions; `nil` if they are no keys, for example if they are owners.
    package let parent: String?

    /// The index `index` of a model; `nil` if it is not sorted by time, or if it may lack records.
    init?(_ index: IndexSchema, of model: ModelSchema, _ parents: [SyncModels.Model.Parent], in schema: Schema) {
        guard let query = index.queryField, index.fields.count == 2, index.fields[1] == RecordStamp.timeField,
            let field = model.field(named: index.fields[0]), [.id, .string].contains(field.type)
        else { return nil }
        let parent = parents.first { $0.fields == [field.name] }?.model
        // DynamoDB leaves records without a partition out of an index. A record without an owner has no owner who asks for it.
        if let parent, parent == model.name || !field.isRequired { return nil }
        if let parent, schema.model(named: parent)?.isLocalOnly ?? true { return nil }
        (self.query, self.parent) = (query, parent)
        partition = field.name
    }
}
