/// The parts of an open store: everything that `clear` replaces.
final class Generation: Sendable {
    let number: Int
    let log: EventLog
    let rows: Rows
    let layout: SchemaLayout
    let schemas: SchemaHistory
    let projector: Projector
    let feed: ChangeFeed
    let unprojected: UnprojectedEvents
    let writer: Writer?
    /// How values read from here find their store again.
    let store: StoreHandle

    init(_ parts: OpenedParts, store: StoreHandle, runsInline: Bool, isReadOnly: Bool) {
        self.store = store
        number = parts.number
        log = parts.log
        rows = Rows(parts.rows)
        layout = parts.layout
        schemas = parts.schemas
        projector = parts.projector
        feed = ChangeFeed(head: parts.log.head.sequence)
        unprojected = UnprojectedEvents(log: log, rows: rows, projector: projector, layout: layout)
        writer =
            isReadOnly
            ? nil
            : Writer(
                WriterGroup(
                    log: log, rows: rows, projector: projector, layout: layout, feed: feed, store: store,
                    unprojected: unprojected, opening: parts.opening),
                runsInline: runsInline)
        writer?.start()
    }

    /// The same parts under a schema that another process went on to.
    init(_ old: Generation, layout: SchemaLayout, schemas: SchemaHistory, projector: Projector) {
        precondition(old.writer == nil, "the process that writes a store is the one to change its schema")
        (number, log, rows, feed, writer, store) = (old.number, old.log, old.rows, old.feed, nil, old.store)
        (self.layout, self.schemas, self.projector) = (layout, schemas, projector)
        unprojected = UnprojectedEvents(log: log, rows: rows, projector: projector, layout: layout)
    }

    /// Ends everything in order: writer, rows, log. What was written is durable afterwards. Returns once nobody reads.
    func close(_ reason: DataStoreError = .closed) throws {
        writer?.close()
        feed.end(reason)
        // Where that fails, they are projected at the next opening, from where the rows are.
        try? unprojected.project()
        let isComplete = rows.failure == nil
        let files = rows.end(reason)
        defer { log.close() }
        guard writer != nil else {
            try? files?.adapter.close()
            return
        }
        do {
            try closeRows(files, isComplete: isComplete)
        } catch {
            try closeLog()
            throw error
        }
        try closeLog()
    }

    private func closeRows(_ files: RowsFiles?, isComplete: Bool) throws {
        guard let files else { return }
        guard isComplete else {
            try? files.adapter.close()
            return
        }
        try files.closeDurably()
    }

    /// Ends the generation for all but those who read it now: they finish. After the last of them the files are closed,
    /// whoever still holds on to the generation, and `body` runs.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void = {}) {
        writer?.close()
        feed.end(reason)
        rows.retire(reason) { [log] in
            // Those who look at the log alone are not waited for: the files go with the last of them.
            log.files.close()
            body()
        }
    }

    private func closeLog() throws {
        guard log.metadata.durability != .full else { return }
        // A sync that failed is never tried again: it could succeed and say nothing of what was lost.
        if let poison = writer?.poison { throw poison }
        try log.sync()
        guard !log.metadata.boot.isEmpty else { return }
        do throws(AppendFailure) { try log.update { $0.boot = "" } } catch { throw error.cause }
        try log.sync()
        try DurableEnd(of: log, boot: "").write(to: log.files.directory)
    }
}

/// What opening a store brings together.
struct OpenedParts {
    let number: Int
    let log: EventLog
    let rows: RowsFiles
    let layout: SchemaLayout
    let schemas: SchemaHistory
    let projector: Projector
    /// What opens the rows again where the adapter fails.
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
