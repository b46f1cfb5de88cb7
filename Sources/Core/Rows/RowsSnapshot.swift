/// A consistent view of the rows. It keeps their adapter open.
struct RowsSnapshot {
    let reader: any AdapterSnapshot
    private let lease: CurrentRows.Lease

    @inline(__always)
    init(_ rows: ReadableRows) throws {
        lease = rows.lease
        reader = try rows.snapshot()
    }

    /// Makes a view of rows that have no other holder. The rows are closed when the view has ended.
    init(_ reader: any AdapterSnapshot, closing files: RowsFiles) {
        lease = CurrentRows.Lease(files)
        lease.atEnd { try? $0.adapter.close() }
        self.reader = reader
    }

    /// Ends the view.
    func end() { withExtendedLifetime(lease) { reader.end() } }

    /// The rows for a reader, held open.
    struct ReadableRows {
        let lease: CurrentRows.Lease
        /// Projects the events that the rows lack into memory, or is `nil` if the rows lack none.
        let overlay: RowsOverlay?

        /// A view of the rows, including the events that they lack.
        @inline(__always)
        func snapshot() throws -> any AdapterSnapshot {
            guard let overlay else { return try lease.files.adapter.snapshot() }
            return try overlay.snapshot(of: lease.files.adapter)
        }
    }
}
