@_spi(Adapters) import Tidelog

/// The write transaction. It changes a copy of the contents, which is then committed or dropped.
final class TutorialTransaction: TutorialReader, AdapterTransaction {
    private let publish: (Contents) -> Void

    init(_ contents: Contents, publish: @escaping (Contents) -> Void) {
        self.publish = publish
        super.init(contents)
    }

    func prepare(_ schema: SchemaLayout, auxiliaryTables: [AuxiliaryTable]) {
        // There is nothing to prepare, because a table is made with its first row.
    }

    func apply(_ changes: UnsafeBufferPointer<RowChange>, to model: ModelLayout) {
        for change in changes {
            let entry = change.row.map { row in
                Entry(key: Array(change.key), value: Array(row.bytes), sequence: change.sequence)
            }
            contents.models[model.number, default: SortedTable()].replace(change.key, with: entry)
        }
    }

    func putAuxiliary(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
        let entry = Entry(key: Array(key), value: Array(value), sequence: .zero)
        contents.auxiliary[table.name, default: SortedTable()].replace(key, with: entry)
    }

    func deleteAuxiliary(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) {
        contents.auxiliary[table.name]?.replace(key, with: nil)
    }

    func commit(checkpoint: Checkpoint) {
        contents.checkpoint = checkpoint
        publish(contents)
    }

    func rollback() { contents = Contents() }
}
