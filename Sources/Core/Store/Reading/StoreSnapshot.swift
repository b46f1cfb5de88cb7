/// A consistent view of a store, as `read { snapshot in … }` passes it to its closure. It is valid inside this closure.
/// A later use throws `closed`.
public final class StoreSnapshot: StoreReader {
    private var view: RowsSnapshot?
    private let auxiliaryTables: [AuxiliaryTable]

    init(_ generation: Generation, _ rows: RowsSnapshot) {
        view = rows
        auxiliaryTables = generation.rows.auxiliaryTables
        super.init(layout: generation.layout, store: generation.store)
    }

    /// Creates a view of the rows of a store whose log cannot be opened. The rows' files are closed when the view ends.
    package init(of rows: any AdapterSnapshot, closing files: RowsFiles, _ layout: SchemaLayout) {
        view = RowsSnapshot(rows, closing: files)
        auxiliaryTables = AuxiliaryTable.builtIn
        super.init(layout: layout, store: StoreHandle())
    }

    deinit { end() }

    /// The adapter's snapshot.
    var reader: any AdapterSnapshot {
        get throws {
            guard let view else { throw DataStoreError.ended }
            return view.reader
        }
    }

    override func visibleRows() throws -> any AdapterReader { try reader }

    override func row(under key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        try reader.get(key, in: model)
    }

    /// Ends the view.
    package func end() { view.take()?.end() }

    /// The last event that the view contains.
    public var sequence: SequenceNumber { get throws { try reader.checkpoint()?.sequence ?? .zero } }

    /// The value under `key` in the table of the projection called `name`, `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound` if no such projection is registered.
    public func projectedValue(_ name: String, for key: [UInt8]) throws -> [UInt8]? {
        let table = try projectionTable(name)
        return try key.withUnsafeBytes { try reader.auxiliaryValue($0, in: table).map { Array($0) } }
    }

    /// Passes the keys and values of the projection called `name` to `body`, in key order, until `body` returns false.
    public func forEachProjected(
        _ name: String, after key: [UInt8]? = nil, _ body: ([UInt8], [UInt8]) throws -> Bool
    ) throws {
        try reader.auxiliaryEntries(after: key, in: projectionTable(name)) { try body(Array($0), Array($1)) }
    }

    private func projectionTable(_ name: String) throws -> AuxiliaryTable {
        guard let table = auxiliaryTables.dropFirst(AuxiliaryTable.builtIn.count).first(where: { $0.name == name })
        else {
            throw DataStoreError(
                .notFound, "No projection \(name) is registered.", recovery: "Register it when the store is opened.")
        }
        return table
    }

    /// The latest server state of a record, `nil` if there is none.
    public func serverState(_ name: String, id: RecordID) throws -> ServerState? {
        let model = try layout.required(name)
        return try model.withKey(of: id) { try reader.serverState(model.number, $0) }
    }

    /// The hash over all rows. It is equal for every adapter that has the same content.
    package func stateHash() throws -> StateHash { try StateHash(of: reader, schema: layout) }
}

extension DataStoreError {
    fileprivate static var ended: DataStoreError {
        DataStoreError(
            .closed, "The snapshot was used after its closure had returned.",
            recovery: "Use it inside the closure, or read again.")
    }
}
