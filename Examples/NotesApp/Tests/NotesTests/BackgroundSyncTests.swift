import Foundation
import Testing
import Tidelog

@testable import Notes

@Suite("Syncing in the background", .timeLimit(.minutes(1)))
@MainActor
struct BackgroundSyncTests {
    private func isSuspended(_ store: DataStore) -> Bool {
        do { _ = try store.head } catch { return (error as? DataStoreError)?.code == .suspended }
        return false
    }

    @Test("a run in the background leaves the store suspended, and open if the app came to the foreground")
    func runs() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await DataStore.open(at: folder, schema: Schema(models: [Note.schema]), adapter: .lmdb())
        // No server listens on this port.
        let endpoint = try #require(URL(string: "http://127.0.0.1:9/graphql"))
        let engine = try SyncEngine(store: store, endpoint: endpoint, authorization: .apiKey("key"))
        let sync = BackgroundSync(store: store, engine: engine)
        try await store.save(Note(id: "1", title: "Tides"))
        try await store.suspend()

        await sync.run(until: .now + .milliseconds(50))
        #expect(isSuspended(store))

        let run = Task { await sync.run(until: .now + .seconds(50)) }
        while isSuspended(store) { await Task.yield() }
        sync.follow(isInBackground: false)
        run.cancel()
        await run.value
        #expect(try await store.query(Note.self, id: "1")?.title == "Tides")
        await engine.stop()
        try await store.close()
    }
}
