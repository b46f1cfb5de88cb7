import Foundation
import TestStores
import Testing
import Tidelog
import TidelogSDL

/// A backup of a device that has the log and not the rows.
@Suite("A store that was restored from a device's backup", .timeLimit(.minutes(5)))
struct RestoredBackupTests {
    private static func open(_ path: URL, _ adapter: Adapter) async throws -> DataStore {
        try await DataStore.open(
            at: path, schema: SchemaDocument(sdl: Array(Device.sdl.utf8)).schema, adapter: adapter.factory)
    }

    /// Copies a closed store without its rows, which a backup excludes.
    private static func backUp(_ store: URL, to copy: URL) throws {
        let files = FileManager.default
        try files.copyItem(at: store, to: copy)
        let rows = try files.subpathsOfDirectory(atPath: copy.path).filter { path in
            path.split(separator: "/").last?.hasPrefix("rows-") ?? false
        }
        #expect(!rows.isEmpty)
        for path in rows { try files.removeItem(atPath: copy.appending(path: path).path) }
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy.path)
    }

    @Test(
        "it rebuilds its rows, and both devices then sync with every change, also with changes that neither had sent",
        arguments: Adapter.persistent)
    func restored(adapter: Adapter) async throws {
        let scratch = try Scratch()
        try await Device.serve { port in
            var original = try await Device(Self.open(scratch.path("original"), adapter), port)
            for number in 0..<20 { try await original.save("p\(number)", ["title": "sent"]) }
            try await original.sync()
            try await original.save("p0", ["title": "pending"])
            try await original.store.close()
            try Self.backUp(scratch.path("original"), to: scratch.path("restored"))

            original = try await Device(Self.open(scratch.path("original"), adapter), port)
            let restored = try await Device(Self.open(scratch.path("restored"), adapter), port)
            #expect(try await restored.store.count(Record.all(of: "Post")) == 20)
            #expect(try await restored.post("p0") == "pending - ")
            // Both devices have the pending change, and each makes one of its own with the same number in the log.
            try await original.save("p1", ["title": "of the original"])
            try await restored.save("p2", ["title": "of the copy"])
            for device in [original, restored, original] { try await device.sync() }
            for device in [original, restored] {
                #expect(try await device.store.count(Record.all(of: "Post")) == 20)
                #expect(try await device.post("p0") == "pending - ")
                #expect(try await device.post("p1") == "of the original - ")
                #expect(try await device.post("p2") == "of the copy - ")
                try await device.store.close()
            }
        }
    }
}
