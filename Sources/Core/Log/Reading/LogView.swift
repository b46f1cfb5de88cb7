internal import TidelogLMDB

/// A consistent view of an open log. Each view must be ended with ``end()``.
struct LogView {
    let transaction: ReadTransaction
    let files: LogFiles
    let recent: RecentEvents.View

    var reader: LogReader { LogReader(transaction, files.keyspaces, recent) }

    func end() { files.end(transaction) }
}
