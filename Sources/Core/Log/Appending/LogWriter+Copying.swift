extension LogWriter {
    /// Copies `log` to `directory`, which exists and is empty. The log may be open for reading only.
    static func copy(_ log: EventLog, to directory: String) throws {
        let view = try log.begin()
        let recent = view.recent
        view.end()
        try translatingErrors("copy the log") { try log.files.copy(to: directory) }
        guard recent.frame > 0 else { return }
        let copy = try LogWriter(directory: directory, isForChecking: true)
        defer { copy.close() }
        do throws(AppendFailure) { try copy.environment.absorb(recent) } catch { throw error.cause }
    }

    /// Marks the log as a copy. Its first opening for writing gives it a new incarnation.
    func becomeCopy() throws {
        do throws(AppendFailure) { try update { $0.incarnation = LogMetadata.copyIncarnation } } catch {
            throw error.cause
        }
        try sync()
    }
}
