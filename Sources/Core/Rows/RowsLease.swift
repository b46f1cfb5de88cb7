internal import Synchronization

/// Holds an adapter open for those who read it, after it was replaced.
final class RowsLease: Sendable {
    let files: RowsFiles
    private let end = Mutex<(@Sendable (RowsFiles) -> Void)?>(nil)

    init(_ files: RowsFiles) { self.files = files }

    deinit { end.withLock { $0 }?(files) }

    /// Has `body` run once nobody holds the lease any more, on the thread of the last who did.
    func atEnd(_ body: @escaping @Sendable (RowsFiles) -> Void) {
        end.withLock { end in
            precondition(end == nil, "a lease has one end")
            end = body
        }
    }
}

/// The rows as a reader may see them, held open.
struct ReadableRows {
    let lease: RowsLease
    /// Projects the events that the rows lack; `nil` if they lack none.
    let overlay: RowsOverlay?

    /// A view of the rows, with what they lack.
    @inline(__always)
    func snapshot() throws -> any AdapterSnapshot {
        guard let overlay else { return try lease.files.adapter.snapshot() }
        return try overlay.snapshot(of: lease.files.adapter)
    }
}

/// A consistent view of the rows, which holds their adapter open.
struct RowsSnapshot {
    let reader: any AdapterSnapshot
    private let lease: RowsLease

    @inline(__always)
    init(_ rows: ReadableRows) throws {
        lease = rows.lease
        reader = try rows.snapshot()
    }

    /// A view of rows that nothing else holds: they are closed after it.
    init(_ reader: any AdapterSnapshot, closing files: RowsFiles) {
        lease = RowsLease(files)
        lease.atEnd { try? $0.adapter.close() }
        self.reader = reader
    }

    /// Lets go of the view.
    func end() { withExtendedLifetime(lease) { reader.end() } }
}
