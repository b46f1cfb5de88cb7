/// The parts of an open store: everything that `clear` replaces.
final class Generation: Sendable {
    let number: Int
    let log: EventLog
    let rows: ProjectedRows
    let schemas: SchemaHistory
    let feed: ChangeFeed
    let writer: Writer?
    /// How values read from here find their store again.
    let store: StoreHandle

    /// The layouts of all models, as the rows have them.
    var layout: SchemaLayout { rows.layout }

    init(_ parts: OpenedParts, store: StoreHandle, runsInline: Bool, isReadOnly: Bool) {
        self.store = store
        number = parts.number
        log = parts.log
        rows = ProjectedRows(parts.rows, opening: parts.opening)
        schemas = parts.schemas
        feed = ChangeFeed(head: parts.log.head.sequence)
        writer =
            isReadOnly
            ? nil
            : Writer(
                SerialSection(log: log, rows: rows, feed: feed, store: store),
                runsInline: runsInline)
        writer?.start()
    }

    /// The same parts under a schema that another process went on to.
    init(_ old: Generation, layout: SchemaLayout, schemas: SchemaHistory, projector: Projector) {
        precondition(old.writer == nil, "the process that writes a store is the one to change its schema")
        (number, log, feed, writer, store) = (old.number, old.log, old.feed, nil, old.store)
        rows = ProjectedRows(old.rows, layout: layout, projector: projector)
        self.schemas = schemas
    }

    /// Ends everything in order: writer, log, rows, which never say more than a durable log. What was written is durable
    /// afterwards. Returns once nobody reads.
    func close(_ reason: DataStoreError = .closed) throws {
        writer?.close()
        feed.end(reason)
        defer { log.close(reason) }
        guard writer != nil else { return try rows.close(reason, durably: false) }
        do { try finishLog() } catch {
            try? rows.close(reason, durably: false)
            throw error
        }
        try rows.close(reason, durably: true)
    }

    /// Ends the generation for all but those who read it now: they finish. After the last of them the files are closed, even
    /// if somebody still holds the generation, and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void = {}) {
        writer?.close()
        feed.end(reason)
        rows.retire(reason) { [log] in
            // Looks at the log alone are not waited for: its files are closed after the last of them.
            log.retire(reason)
            body()
        }
    }

    private func finishLog() throws {
        // A sync that failed is never tried again: it could succeed and say nothing of what was lost.
        if let poison = writer?.poison { throw poison }
        try log.finish()
    }
}

/// What opening a store brings together.
struct OpenedParts {
    let number: Int
    let log: EventLog
    let rows: RowsFiles
    let schemas: SchemaHistory
    /// What opens the rows again if the adapter fails.
    let opening: RowsOpening
}

extension AppendFailure {
    /// What went wrong beneath.
    var cause: any Error {
        switch self {
        case .failed(let cause), .outcomeUnknown(let cause): cause
        }
    }
}
