/// Says whether an adapter's files were closed cleanly (FORMATS, section 7.1): rows are committed unsynced.
struct RowsMarker: Sendable {
    private let path: String
    private let store: StoreID

    init(directory: String, store: StoreID) {
        path = directory + "/marker"
        self.store = store
    }

    private func text(_ state: String) -> String { "tidelog 1\n\(store)\n\(Boot.identifier)\n\(state)\n" }

    /// Whether the files may be opened: closed cleanly, or left by a process under this start of the system.
    func isTrustworthy() throws -> Bool {
        guard let found = try FileSystem.read(path) else { return false }
        let lines = found.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == "tidelog 1", lines[1] == store.description else { return false }
        if lines[3] == "clean" { return true }
        return lines[3] == "dirty" && lines[2] == Boot.identifier && Boot.identifier != "unknown"
    }

    func markDirty() throws { try FileSystem.write(text("dirty"), to: path) }

    func markClean() throws { try FileSystem.write(text("clean"), to: path) }
}
