@_spi(Adapters) internal import Tidelog
internal import TidelogFoundation
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText
internal import TidelogSync

/// Writes the events of a sync engine as lines of JSON or as lines for people.
struct SyncEventOutput {
    private let console: Console
    private let schema: SchemaLayout
    /// Whether the server has answered since the engine started.
    private var wasReached = false
    /// Whether a request has failed since the server last answered.
    private var hasFailed = false

    init(_ store: DataStore, on console: Console) throws {
        self.console = console
        schema = try store.layout
    }

    mutating func write(_ event: SyncEvent) throws {
        switch event {
        case .networkStatus(active: true):
            wasReached = true
            hasFailed = false
        case .failed: hasFailed = true
        default: break
        }
        if console.isJSON { try writeJSON(event) } else { try writeText(event) }
        try console.output.flush()
    }

    // MARK: JSON

    private func writeJSON(_ event: SyncEvent) throws {
        try console.output.writeObject { writer in
            writer.member("event", event.name)
            switch event {
            case .networkStatus(let active): writer.member("active", active)
            case .outboxStatus(let isEmpty): writer.member("isEmpty", isEmpty)
            case .syncQueriesStarted(let models): writer.texts("models", models)
            case .modelSynced(let synced):
                writer.member("model", synced.modelName)
                writer.member("isFullSync", synced.isFullSync)
                writer.member("isDeltaSync", synced.isDeltaSync)
                writer.member("added", synced.added)
                writer.member("updated", synced.updated)
                writer.member("deleted", synced.deleted)
                writer.member("isTruncated", synced.isTruncated)
            case .outboxMutationEnqueued(let change), .outboxMutationProcessed(let change),
                .syncReceived(let change), .conditionalSaveFailed(let change):
                try write(change, to: &writer)
            case .conflict(let conflict): try write(conflict.remote, to: &writer)
            case .failed(let error):
                writer.object("error") { writer in
                    writer.member("code", error.code.name)
                    writer.member("message", error.message)
                    writer.member("recovery", error.recovery)
                }
            case .missed(let count): writer.member("count", count)
            case .subscriptionsEstablished, .syncQueriesReady, .syncStarted, .ready, .stopped: break
            }
        }
    }

    private func write(_ change: OutboxMutationEvent, to writer: inout JSONWriter) throws {
        let element = change.element
        writer.member("model", change.modelName)
        writer.key("id")
        writer.id(element.id)
        writer.key("record")
        if let record = element.model, let model = schema.model(named: change.modelName) {
            let rows = RowJSONWriter(layout: model)
            try EncodedRow(record, layout: model).withRow { _, row in try rows.write(row, to: &writer) }
        } else {
            writer.null()
        }
        if let version = element.version { writer.member("_version", version) }
        if let time = element.lastChangedAt { writer.member("_lastChangedAt", time) }
        if let deleted = element.deleted { writer.member("_deleted", deleted) }
    }

    // MARK: Text

    private func writeText(_ event: SyncEvent) throws {
        let style = console.outputStyle
        let now = timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let time = now.prefix(19).split(separator: "T").joined(separator: " ")
        try console.output.write("\(style.dim(time))  \(text(of: event, style))\n")
    }

    private func text(of event: SyncEvent, _ style: Console.Style) -> String {
        switch event {
        case .networkStatus(active: true): style.green("the server answers")
        case .networkStatus(active: false):
            // An engine begins and ends without a connection. That is no fault of the server.
            hasFailed
                ? style.yellow("the server cannot be reached")
                : wasReached ? "disconnected from the server" : "connecting to the server"
        case .outboxStatus(let isEmpty): isEmpty ? "no change waits" : "changes wait to be sent"
        case .subscriptionsEstablished: "the server sends changes from now on"
        case .syncQueriesStarted(let models): "asking for \(models.joined(separator: ", "))"
        case .modelSynced(let synced):
            "\(style.bold(synced.modelName)) is synced: \(synced.added) added, \(synced.updated) updated, "
                + "\(synced.deleted) deleted" + (synced.isTruncated ? ", and the server has more" : "")
        case .syncQueriesReady: "every model is synced"
        case .syncStarted: "changes are sent from now on"
        case .ready: style.green("✓ ready")
        case .outboxMutationEnqueued(let change): "changed here      \(name(of: change))"
        case .outboxMutationProcessed(let change): "on the server     \(name(of: change))"
        case .syncReceived(let change): "changed elsewhere \(name(of: change))"
        case .conditionalSaveFailed(let change): "condition false   \(name(of: change))"
        case .conflict(let conflict): "server's counts   \(name(of: conflict.remote))"
        case .failed(let error): style.yellow("\(console.shown(error.message)) \(error.recovery)")
        case .stopped: "stopped"
        case .missed(let count): style.yellow("\(counted(count, "event")) too many to show")
        }
    }

    private func name(of change: OutboxMutationEvent) -> String {
        let version = change.element.version.map { "  version \($0)" } ?? ""
        return "\(change.modelName) \(console.shown(change.element.id.text))\(version)"
    }
}
