internal import Tidelog

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension StoreAccess {
    /// Calls `body` with the store's rows. If the log is too damaged to be opened, the rows are read as they are, after a
    /// warning.
    ///
    /// - Returns: `damaged` if the log is damaged.
    func readRows(on console: Console, _ body: (StoreSnapshot) throws -> Void) async throws -> ExitStatus {
        let store: DataStore
        do {
            store = try openForReading()
            // Reads the unprojected events of the log now, so that damage shows before `body` runs.
            _ = try await store.read { try $0.sequence }
        } catch {
            let failure = CommandFailure(error)
            guard failure.code == DataStoreError.Code.logDamaged.name else { throw error }
            return try await readRows(besideLogThat: failure, console, body)
        }
        try await store.read(body)
        try await store.close()
        return .done
    }

    private func readRows(
        besideLogThat failure: CommandFailure, _ console: Console, _ body: (StoreSnapshot) throws -> Void
    ) async throws -> ExitStatus {
        let warned = CommandFailure(
            .damaged, failure.code,
            "The log of \(path) is damaged; this is what its rows say, unchecked. \(failure.message)",
            recovery: "Save every undamaged event: `tidelog verify --store \(path) --salvage DIR`.")
        guard let factory = try adapterBesideDamagedLog() else { throw failure }
        console.warn(warned.message)
        console.note("  \(console.messageStyle.dim("→")) \(warned.recovery)")
        do {
            try await DataStore.readRows(ofDamagedStoreAt: URL(filePath: path), adapter: factory, body)
        } catch let error as DataStoreError where error.code == .projectionUnavailable {
            throw failure
        }
        if console.isJSON { console.report(warned) }
        return .damaged
    }

    /// The adapter of a store whose log may not open; `nil` if it cannot be determined.
    func adapterBesideDamagedLog() throws -> AdapterFactory? {
        if let adapter { return adapter.factory }
        if let name = try? DataStore.adapterName(ofDamagedStoreAt: URL(filePath: path)) { return try factory(name) }
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []
        if files.contains(where: { $0.hasSuffix("/rows.sqlite") }) { return Adapter.sqlite.factory }
        return files.contains { $0.contains("/rows-") && $0.hasSuffix("/data.mdb") } ? Adapter.lmdb.factory : nil
    }
}
