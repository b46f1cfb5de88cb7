#if os(Linux)
    import FaultHarness
    import Foundation
    import TidelogSynchronization
    import TestWaiting
    import Testing
    import Tidelog
    import TidelogSDL
    import TidelogSync

    @Suite("A device whose disk is full", .timeLimit(.minutes(5)))
    struct FullDiskTests {
        private static let unavailability = TemporaryFilesystem.unavailability()
        private static let text = FieldValue.string(String(repeating: "x", count: 16_000))

        /// Saves posts until the disk is full, and returns how many were saved.
        private static func fill(_ device: Device) async throws -> Int {
            for count in 0..<2_000 {
                do {
                    try await device.save("own\(count)", ["title": text])
                } catch let error as DataStoreError {
                    #expect(error.code == .storageFull)
                    return count
                }
            }
            Issue.record("The disk does not fill up.")
            return 2_000
        }

        private static func count(_ store: DataStore) async throws -> Int {
            try await store.read { try $0.count(Record.all(of: "Post")) }
        }

        @Test(
            "the engine reports that the disk is full and ends; with room again, it continues where it was",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"),
            arguments: [SyncEngine.Startup.automatic, .manual])
        func full(startup: SyncEngine.Startup) async throws {
            try await Device.serve { port in
                let disk = try TemporaryFilesystem(size: 64 << 20)
                let ballast = disk.url.appendingPathComponent("ballast")
                try Data(count: 56 << 20).write(to: ballast)
                let store = try await DataStore.open(
                    at: disk.url.appendingPathComponent("store"),
                    schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema, adapter: .lmdb())
                let device = Device(store, port)
                let errors = Mutex<[SyncError]>([])
                let configuration = SyncConfiguration(errorHandler: { error in errors.withLock { $0.append(error) } })
                let engine = try device.engine(configuration, startup: startup)
                if startup == .manual { try await engine.start() }
                try await eventually { engine.status.state == .ready }

                let saved = try await Self.fill(device)
                let other = try await Device(port)
                for number in 0..<300 { try await other.save("\(number)", ["title": Self.text]) }
                _ = await (try other.engine()).runOnce()
                try await eventually { errors.withLock { $0.contains { $0.code == .store } } }
                let error = try #require(errors.withLock { $0.first { $0.code == .store } })
                #expect((error.underlying as? DataStoreError)?.code == .storageFull)
                try await eventually { engine.status.state == (startup == .manual ? .stopped : .waiting) }
                if startup == .automatic { #expect(engine.status.nextAttempt != nil) }
                #expect(try await Self.count(store) >= saved)

                let handle = try FileHandle(forWritingTo: ballast)
                try handle.truncate(atOffset: 0)
                try handle.close()
                if startup == .manual {
                    #expect(engine.status.state == .stopped)
                    try await engine.start()
                }
                try await eventually { engine.status.state == .ready && engine.status.pending == 0 }
                #expect(try await Self.count(store) == saved + 300)
                #expect(try await engine.verify().isEqual)
                await engine.stop()
                try await store.close()
            }
        }
    }
#endif
