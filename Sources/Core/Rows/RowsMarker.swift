/// The marker file that shows whether an adapter's files were closed cleanly (FORMATS, section 7.1).
///
/// Rows need it because the adapter commits them without a sync.
package struct RowsMarker: Sendable {
    private let directory: String
    private let store: StoreID

    package init(directory: String, store: StoreID) {
        self.directory = directory
        self.store = store
    }

    private var path: String { directory + "/marker" }

    private func text(_ state: String) -> String { "tidelog 1\n\(store)\n\(Uptime(of: directory).text)\n\(state)\n" }

    /// Whether the files may be opened: they were closed cleanly, or a process left them in this uptime.
    package func isTrustworthy() throws -> Bool {
        guard let found = try read() else { return false }
        return found.isClean || Uptime(of: directory).continues(found.uptime)
    }

    /// Whether this marker was written by the process that has the store in `directory` open for writing.
    ///
    /// That process has found the files trustworthy. This process then trusts them as well, even if it cannot detect whether
    /// their volume was mounted again.
    func isOfWriter(of directory: StoreDirectory) throws -> Bool {
        try read() != nil && WriterLock.holderHasWritten(path, in: directory.path)
    }

    private func read() throws -> (uptime: Uptime, isClean: Bool)? {
        guard let found = try FileSystem.read(path) else { return nil }
        let lines = found.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == "tidelog 1", lines[1] == store.description,
            lines[3] == "clean" || lines[3] == "dirty"
        else { return nil }
        return (Uptime(lines[2]), lines[3] == "clean")
    }

    /// Whether there is a marker. Rows whose sync failed have none.
    var exists: Bool { get throws { try FileSystem.exists(path) } }

    /// Removes the marker, so that the rows are recreated at the next opening. A failure to remove it is ignored.
    func remove() { try? FileSystem.removeTree(path) }

    func markDirty() throws { try FileSystem.write(text("dirty"), to: path) }

    func markClean() throws { try FileSystem.write(text("clean"), to: path) }
}
