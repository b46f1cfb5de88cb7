#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import Testing
    @_spi(Adapters) import Tidelog

    @Suite("An adapter that cannot begin a transaction", .timeLimit(.minutes(5)))
    struct FailedBeginTests {
        private static let unavailability = TemporaryFilesystem.unavailability()

        /// On a nearly full disk, each write asks the adapter whether its rows fit.
        @Test(
            "a write that continues after such a failure, and whose rows do not fit, is an error and ends",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: Adapter.all)
        func nearlyFull(_ adapter: Adapter) async throws {
            let disk = try TemporaryFilesystem(size: 12 << 20)
            let failures = CommitFailures()
            let store = try await DataStore.open(
                at: disk.url.appendingPathComponent("store"), schema: itemSchema,
                adapter: failures.factory(adapter.factory))
            try await store.save(item("0", "t"))
            // A read projects the event, so no other transaction begins.
            #expect(try await store.count(Record.all(of: "Item")) == 1)
            failures.failBegin()
            failures.refuseRows(true)
            let error = await #expect(throws: DataStoreError.self) {
                try await store.write { transaction in
                    try transaction.save(item("1", "t"))
                    #expect(throws: DataStoreError.self) { try transaction.fetch(Record.all(of: "Item").limit(1)) }
                }
            }
            #expect(error?.code == .storageFull)
            failures.refuseRows(false)
            try await store.save(item("2", "t"))
            #expect(try await store.count(Record.all(of: "Item")) == 2)
            #expect(try await store.verify().isWhole)
            try await store.close()
        }
    }
#endif
