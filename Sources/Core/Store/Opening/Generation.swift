internal import Dispatch

/// The parts of an open store that ``DataStore/clear()`` replaces.
final class Generation: Sendable {
    let number: Int
    let log: EventLog
    let rows: ProjectedRows
    let schemas: SchemaHistory
    let feed: ChangeFeed
    let writer: Writer?
    /// The space that is set aside for deletions and compactions, `nil` for a store in memory or one that is only read.
    let room: SpareRoom?
    /// The handle by which values that were read from this generation find their store again.
    let store: StoreHandle
    /// The backups that are being made. They lock the files of the copy.
    let backups = DispatchGroup()

    /// The layouts of all models in the schema of the rows.
    var layout: SchemaLayout { rows.layout }

    init(_ parts: OpenedParts, store: StoreHandle, runsInline: Bool, room: SpareRoom? = nil) {
        self.store = store
        self.room = room
        number = parts.number
        log = parts.log
        rows = ProjectedRows(parts.rows, opening: parts.opening)
        schemas = parts.schemas
        feed = ChangeFeed(published: parts.log.head.sequence)
        writer = parts.logWriter.map { [rows, feed] logWriter in
            Writer(SerialSection(logWriter, rows: rows, feed: feed, store: store, room: room), runsInline: runsInline)
        }
        writer?.start()
    }

    /// The same parts with a schema that another process has introduced.
    init(_ old: Generation, layout: SchemaLayout, schemas: SchemaHistory, projector: Projector) {
        precondition(old.writer == nil, "the process that writes a store is the one to change its schema")
        number = old.number
        log = old.log
        feed = old.feed
        writer = nil
        store = old.store
        room = nil
        rows = ProjectedRows(old.rows, layout: layout, projector: projector)
        self.schemas = schemas
    }

    /// Closes the parts in this order: writer, log, rows. In this order, the rows never contain more than the durable log.
    ///
    /// All writes are durable afterwards. This method returns after the last reader and the last rebuild have finished.
    func close(_ reason: DataStoreError = .closed) throws {
        writer?.close(reason)
        feed.end(reason)
        // Closing the log and the rows gives space back to the disk.
        defer {
            log.close(reason)
            rows.waitForRebuild()
            if reason.code == .suspended { backups.wait() }
            room?.setAside(leavingSpace: true)
        }
        guard let writer else { return try rows.close(reason, durably: false) }
        do { try writer.finishLog(isKept: reason.code == .suspended) } catch {
            try? rows.close(reason, durably: false)
            throw error
        }
        try rows.close(reason, durably: true)
    }

    /// Retires the generation: new reads fail, and current reads finish. After the last read, the files are closed and
    /// `body` runs, even if the generation is still referenced.
    func retire(_ reason: DataStoreError, then body: @escaping @Sendable () -> Void = {}) {
        writer?.close()
        writer?.stopLog()
        feed.end(reason)
        rows.retire(reason) { [log] in
            // This does not wait for reads of the log alone. The log's files are closed after the last of these reads.
            log.retire(reason)
            body()
        }
    }

    /// The parts of a store after opening.
    struct OpenedParts {
        let number: Int
        let log: EventLog
        /// The writer of the log, `nil` if the store is open for reading only.
        let logWriter: LogWriter?
        let rows: RowsFiles
        let schemas: SchemaHistory
        /// Opens the rows again if the adapter fails.
        let opening: RowsOpening
    }
}
