internal import Synchronization

/// The parts of an open store: everything that `clear` replaces.
final class Generation: Sendable {
    let number: Int
    let log: EventLog
    let rows: Rows
    let layout: SchemaLayout
    let schemas: SchemaHistory
    let projector: Projector
    let feed: ChangeFeed
    let writer: Writer?
    let rowsDirectory: String?
    private let marker: RowsMarker?

    init(_ parts: consuming OpenedParts, runsInline: Bool, isReadOnly: Bool) {
        number = parts.number
        log = parts.log
        rows = Rows(parts.adapter)
        layout = parts.layout
        schemas = parts.schemas
        projector = parts.projector
        rowsDirectory = parts.rowsDirectory
        marker = isReadOnly ? nil : parts.marker
        feed = ChangeFeed(head: parts.log.head.sequence)
        writer =
            isReadOnly
            ? nil
            : Writer(
                WriterGroup(log: log, rows: rows, projector: projector, layout: layout, feed: feed),
                runsInline: runsInline)
        writer?.start()
    }

    /// Ends everything in order: writer, rows, log. What was written is durable afterwards.
    func close(_ reason: DataStoreError = .closed) throws {
        writer?.close()
        feed.end(reason)
        guard writer != nil else {
            try? rows.adapterInAnyState.close()
            return log.close()
        }
        let adapter = rows.adapterInAnyState
        let isComplete = !rows.hasFailed
        defer { log.close() }
        do {
            try adapter.sync()
            try adapter.close()
            if isComplete { try marker?.markClean() }
        } catch {
            // The marker stays dirty: the next opening looks at the rows with suspicion.
            try closeLog()
            throw error
        }
        try closeLog()
    }

    private func closeLog() throws {
        guard log.metadata.durability != .full else { return }
        // A sync that failed is never tried again: it could succeed and say nothing of what was lost.
        if let poison = writer?.poison { throw poison }
        try log.sync()
        guard !log.metadata.boot.isEmpty else { return }
        do throws(AppendFailure) { try log.update { $0.boot = "" } } catch { throw error.cause }
        try log.sync()
    }
}

/// What opening a store brings together.
struct OpenedParts {
    let number: Int
    let log: EventLog
    let adapter: any StorageAdapter
    let layout: SchemaLayout
    let schemas: SchemaHistory
    let projector: Projector
    let rowsDirectory: String?
    let marker: RowsMarker?
}

extension AppendFailure {
    /// What went wrong beneath.
    var cause: any Error {
        switch self {
        case .failed(let cause), .outcomeUnknown(let cause): cause
        }
    }
}
