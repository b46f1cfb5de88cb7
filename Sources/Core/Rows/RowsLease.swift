internal import Synchronization

/// A lease on an adapter. Readers that hold it keep the adapter open, even after the rows were replaced.
final class RowsLease: Sendable {
    let files: RowsFiles
    private let end = Mutex<(@Sendable (RowsFiles) -> Void)?>(nil)

    init(_ files: RowsFiles) { self.files = files }

    deinit { end.withLock { $0 }?(files) }

    /// Makes `body` run after the last holder has given up the lease, on that holder's thread.
    func atEnd(_ body: @escaping @Sendable (RowsFiles) -> Void) {
        end.withLock { end in
            precondition(end == nil, "a lease ends once")
            end = body
        }
    }
}

/// The rows for a reader, held open.
struct ReadableRows {
    let lease: RowsLease
    /// Projects the events that the rows lack into memory, or is `nil` if the rows lack none.
    let overlay: RowsOverlay?

    /// A view of the rows, including the events that they lack.
    @inline(__always)
    func snapshot() throws -> any AdapterSnapshot {
        guard let overlay else { return try lease.files.adapter.snapshot() }
        return try overlay.snapshot(of: lease.files.adapter)
    }
}

/// A consistent view of the rows. It keeps their adapter open.
struct RowsSnapshot {
    let reader: any AdapterSnapshot
    private let lease: RowsLease

    @inline(__always)
    init(_ rows: ReadableRows) throws {
        lease = rows.lease
        reader = try rows.snapshot()
    }

    /// Makes a view of rows that have no other holder. The rows are closed when the view has ended.
    init(_ reader: any AdapterSnapshot, closing files: RowsFiles) {
        lease = RowsLease(files)
        lease.atEnd { try? $0.adapter.close() }
        self.reader = reader
    }

    /// Ends the view.
    func end() { withExtendedLifetime(lease) { reader.end() } }
}
