import Foundation
import TestStores
import Testing
@_spi(Adapters) import Tidelog

@testable import TidelogCore

/// Opens stores that earlier versions of this repository wrote. Every format that landed must stay readable.
///
/// Each folder of `Tests/Fixtures/stores` is a store, and the text file with the same name describes its content. After
/// a change of the format, add a name to the list below and run `TIDELOG_WRITE_STORES=1 swift test --filter
/// StoredFormatTests`. This adds a folder. Never change the existing folders.
@Suite("Stores in earlier formats")
struct StoredFormatTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/stores")
    /// The names of the stores. Each name begins with the name of the adapter that holds the rows. The stores with the
    /// numbers 2 and 3 were left by a killed process: number 2 has a tail of version 1, and number 3 a tail of version
    /// 2. The stores with the number 4 have shadowed events and notes.
    private static let names = [
        "lmdb-1", "sqlite-1", "lmdb-2", "sqlite-2", "lmdb-3", "sqlite-3", "lmdb-4", "sqlite-4",
    ]
    private static let isWriting = ProcessInfo.processInfo.environment["TIDELOG_WRITE_STORES"] != nil

    private static func adapter(of name: String) -> Adapter {
        Adapter(factory: name.hasPrefix("lmdb") ? .lmdb() : .sqlite())
    }

    @Test("a store in an earlier format opens with its original content, and accepts writes", arguments: names)
    func opensAsItWas(name: String) async throws {
        let scratch = try Scratch()
        try copy(name, to: scratch.path())
        let store = try await scratch.open(Self.adapter(of: name), schema: nil)
        expectEqualLines(try await SampleStore(store: store).description(), try expected(name))
        #expect(try await store.verify().isWhole)
        let head = try store.head.sequence
        try await store.save(SampleSchema.sample(4, "now"))
        #expect(try store.head.sequence > head)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a store's rows can be recreated on every adapter", arguments: names, Adapter.all)
    func isRebuilt(name: String, adapter: Adapter) async throws {
        let scratch = try Scratch()
        try copy(name, to: scratch.path())
        try await StoreFiles.rebuild(at: scratch.path(), adapter: adapter.factory)
        let store = try await scratch.open(adapter, schema: SampleSchema.make(isLater: true))
        try await store.rebuild()
        expectEqualLines(try await SampleStore(store: store).description(), try expected(name))
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a log that was written without syncs is verified when it is opened, and is relaxed from then on")
    func unsynced() async throws {
        let scratch = try Scratch()
        try copy("lmdb-unsynced", to: scratch.path())
        let note = scratch.path().appending(path: "generation-1/log/durable")
        for title in ["later", "new", "newer"] {
            let store = try await scratch.open(Adapter(factory: .lmdb()), schema: nil)
            #expect(try await store.metrics().durability == .relaxed)
            #expect(try await store.title("r1") == title)
            #expect(!FileManager.default.fileExists(atPath: note.path))
            try await store.save(item("r1", title == "later" ? "new" : "newer"))
            #expect(try await store.verify().isWhole)
            try await store.close()
        }
    }

    @Test("a log that was written without syncs is refused if events or parts of its note are damaged or missing")
    func damagedUnsynced() async throws {
        let note = "generation-1/log/durable"
        let changes: [(reason: String, make: (URL) throws -> Void)] = [
            (
                "cannot be read",
                { try "tidelog 1\n".write(to: $0.appending(path: note), atomically: true, encoding: .utf8) }
            ),
            (
                "ends at event 5, but event 6 was durable",
                { store in
                    let text = try String(contentsOf: store.appending(path: note), encoding: .utf8)
                    let later = text.replacingOccurrences(of: "\n5\n", with: "\n6\n")
                    try later.write(to: store.appending(path: note), atomically: true, encoding: .utf8)
                }
            ),
            ("ends at event 4, but event 5 was durable", { store in try damage(store, [5]) { $0 = [] } }),
            ("event 3 is damaged", { try damage($0, [3]) }),
        ]
        for (reason, make) in changes {
            let scratch = try Scratch()
            try copy("lmdb-unsynced", to: scratch.path())
            try make(scratch.path())
            let error = await #expect(throws: DataStoreError.self) {
                _ = try await scratch.open(Adapter(factory: .lmdb()), schema: nil)
            }
            #expect(error?.code == .logDamaged)
            #expect(error?.message.contains(reason) == true, "\(reason): \(error?.message ?? "")")
        }
    }

    @Test(
        "a store with every kind of event is written if TIDELOG_WRITE_STORES is set", .enabled(if: isWriting),
        arguments: names)
    func write(name: String) async throws {
        let folder = Self.folder.appending(path: name)
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        let scratch = try Scratch()
        var configuration = DataStoreConfiguration()
        configuration.logTailByteCount = 64 << 10
        let adapter = Self.adapter(of: name)
        let earlier = try await scratch.open(
            adapter, schema: SampleSchema.make(isLater: false), configuration: configuration)
        try await SampleStore(store: earlier).writeEarlier()
        try await earlier.close()
        let later = try await scratch.open(
            adapter, schema: SampleSchema.make(isLater: true), configuration: configuration)
        try await SampleStore(store: later).writeLater()
        try FileManager.default.copyItem(at: scratch.path(), to: folder)
        try await SampleStore(store: later).description()
            .write(to: Self.folder.appending(path: "\(name).txt"), atomically: true, encoding: .utf8)
        try await later.close()
        let log = folder.appending(path: "generation-1/log").path
        let bytes = try Array(Data(contentsOf: URL(filePath: TailFormat.path(log, 0))))
        #expect(try !TailFileContents(bytes).round(from: TailFormat.fileHeaderByteCount).isEmpty)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for file in files where file.hasSuffix("lock.mdb") || file.hasSuffix(".lock") {
            try FileManager.default.removeItem(at: folder.appending(path: file))
        }
    }

    private func expected(_ name: String) throws -> String {
        try String(contentsOf: Self.folder.appending(path: "\(name).txt"), encoding: .utf8)
    }

    /// Copies a store and sets the file modes that a store has, because a checkout has other modes.
    private func copy(_ name: String, to path: URL) throws {
        let files = FileManager.default
        try files.copyItem(at: Self.folder.appending(path: name), to: path)
        try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path.path)
        for name in try files.subpathsOfDirectory(atPath: path.path) {
            let item = path.appending(path: name).path
            let isFolder = try files.attributesOfItem(atPath: item)[.type] as? FileAttributeType == .typeDirectory
            try files.setAttributes([.posixPermissions: isFolder ? 0o700 : 0o600], ofItemAtPath: item)
        }
    }

    private func expectEqualLines(_ text: String, _ expected: String) {
        let lines = text.split(separator: "\n")
        let expectedLines = expected.split(separator: "\n")
        #expect(lines.count == expectedLines.count)
        for (line, expectedLine) in zip(lines, expectedLines) where line != expectedLine {
            Issue.record("expected \(expectedLine)\nbut is   \(line)")
        }
    }
}
