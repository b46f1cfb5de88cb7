internal import TidelogLMDB

extension LogFiles {
    /// Opens the files of the log in `directory` for reading.
    static func open(_ directory: String, mapSize: Int?) throws -> LogFiles {
        let options = try options(for: directory, mapSize: mapSize, isReadOnly: true)
        return try withEnvironment(directory, options) { environment in
            LogFiles(
                directory: directory, environment: environment,
                keyspaces: try LogKeyspaces(reading: environment))
        }
    }

    /// Options for the log in `directory`, which must exist.
    fileprivate static func options(
        for directory: String, mapSize: Int?, isReadOnly: Bool
    ) throws -> Environment.Options {
        Environment.Options(
            mapSize: mapSize, maximumKeyspaces: 8, syncPolicy: .full, isReadOnly: isReadOnly, requireExisting: true,
            inspectsEveryPage: try UnsyncedLog.isNoted(in: directory))
    }

    /// Opens an environment and passes it to `body`. If `body` throws an error, the environment is closed.
    fileprivate static func withEnvironment<Result>(
        _ directory: String, _ options: Environment.Options, _ body: (GrowingEnvironment) throws -> Result
    ) throws -> Result {
        try translatingLogErrors("open the log") {
            let environment = GrowingEnvironment(try Environment(directory: directory, options: options))
            do { return try body(environment) } catch {
                environment.close()
                throw error
            }
        }
    }
}

extension WritableLogFiles {
    /// Opens the files of the log in `directory` for writing.
    ///
    /// - Parameters:
    ///   - isTemporary: Whether the log is deleted when the process ends. Its files are then not synced.
    ///   - create: The metadata of a new log, which is created if the directory has no log.
    static func open(
        _ directory: String, mapSize: Int?, isTemporary: Bool, create: LogMetadata?
    ) throws -> WritableLogFiles {
        var options = try LogFiles.options(for: directory, mapSize: mapSize, isReadOnly: false)
        options.syncPolicy = isTemporary ? .noSync : .full
        options.requireExisting = create == nil
        return try LogFiles.withEnvironment(directory, options) { environment in
            WritableLogFiles(
                directory: directory, environment: environment,
                keyspaces: try LogKeyspaces(writing: environment, creating: create))
        }
    }
}
