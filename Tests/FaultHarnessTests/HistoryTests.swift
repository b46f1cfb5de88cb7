import FaultHarness
import Foundation
import Testing

@Suite("A trace's history")
struct HistoryTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory("tidelog-history")
    }

    @Test("a sync covers only data that was written before the sync began")
    func concurrentWrite() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 0, "old")
        let sync = written.syncBegan(7)
        written.write(7, at: 3, "new")
        written.syncEnded(sync)
        written.acknowledge("done")
        let trace = try written.read(in: directory)
        let check = trace.checkAcknowledgements(inFiles: { _ in true })
        #expect(check.violations.map(\.position) == [3])
        #expect(try text(of: "file", dropped: trace) == "old")
    }

    @Test("no sync covers data that was written before a failed sync")
    func failedSync() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 0, "lost")
        written.syncEnded(written.syncBegan(7), error: 5)
        written.write(7, at: 4096, "kept")
        written.sync(7)
        written.acknowledge("done")
        let trace = try written.read(in: directory)
        #expect(trace.checkAcknowledgements(inFiles: { _ in true }).violations.map(\.position) == [1])
        #expect(try text(of: "file", dropped: trace) == String(repeating: "\0", count: 4096) + "kept")
    }

    @Test("an acknowledgement before the end of its sync counts as too early")
    func runningSync() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 0, "x")
        let sync = written.syncBegan(7)
        written.acknowledge("early")
        written.syncEnded(sync)
        written.acknowledge("in time")
        let check = try written.read(in: directory).checkAcknowledgements(inFiles: { _ in true })
        #expect(check.violations.map(\.acknowledgement.text) == ["early"])
    }

    @Test("a write through a syncing descriptor covers only itself")
    func selfSynced() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 8192, "data")
        written.write(7, at: 0, "meta", selfSynced: true)
        let trace = try written.read(in: directory)
        #expect(try text(of: "file", dropped: trace).hasPrefix("meta"))
        #expect(try !text(of: "file", dropped: trace).contains("data"))
    }

    @Test("files that have the same number one after the other are different files")
    func reusedNumber() throws {
        var written = WrittenTrace()
        written.create(7, "first")
        written.write(7, at: 0, "one")
        written.unlink("first")
        written.create(7, "second")
        written.write(7, at: 0, "2")
        written.sync(7)
        // The trace has no record of the creation of the file `third`.
        written.unlink("second")
        written.open(7, "third")
        written.write(7, at: 0, "3")
        let trace = try written.read(in: directory)
        let image = DiskImage(cut: 7, content: .unsyncedDropped, names: .unsyncedDropped)
        #expect(try contents(of: image, trace) == ["second": "2"])
        #expect(try contents(of: DiskImage(cut: trace.records.count, content: .prefix), trace) == ["third": "3"])
    }

    @Test("the history follows the names of files through renamed directories and syncs of directories")
    func renamedDirectory() throws {
        var written = WrittenTrace()
        written.makeDirectory("new")
        written.create(7, "new/file")
        written.write(7, at: 0, "x")
        written.rename("new", "live")
        written.sync(9, directory: "live")
        written.acknowledge("file is named")
        written.sync(8, directory: "")
        written.acknowledge("directory is named")
        let trace = try written.read(in: directory)
        let check = trace.checkNames(of: { _ in true })
        #expect(Set(check.violations.map(\.path)) == ["new", "live"])
        #expect(check.violations.allSatisfy { $0.acknowledgement.text == "file is named" })
        #expect(try contents(of: DiskImage(cut: 4, content: .prefix, names: .unsyncedDropped), trace) == [:])
        #expect(try contents(of: DiskImage(cut: 4, content: .prefix), trace) == ["live/file": "x"])
    }

    @Test("an image may have the file that a rename replaced until the rename is durable")
    func replaced() throws {
        var written = WrittenTrace()
        written.create(7, "state")
        written.write(7, at: 0, "old")
        written.sync(7)
        written.create(8, "state.new")
        written.write(8, at: 0, "new")
        written.rename("state.new", "state")
        let trace = try written.read(in: directory)
        let lost = DiskImage(cut: trace.records.count, content: .unsyncedDropped, names: .unsyncedDropped)
        #expect(try contents(of: lost, trace) == ["state": "old"])
        // This image has the rename, but not the bytes of the new file.
        let trap = DiskImage(cut: trace.records.count, content: .unsyncedDropped)
        #expect(try contents(of: trap, trace) == ["state": ""])
    }

    @Test("an image may keep or lose an unsynced change of a file's size")
    func sizes() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 0, "durable")
        written.sync(7)
        written.truncate(7, to: 3)
        let trace = try written.read(in: directory)
        let found = try (UInt64(0)..<20).map { seed in
            try contents(of: DiskImage(cut: trace.records.count, content: .subset(seed: seed)), trace)["file"]
        }
        #expect(Set(found) == ["durable", "dur"])
        #expect(try text(of: "file", dropped: trace) == "durable")
    }

    @Test("unsynced overwrites reach an image in the order in which they were written")
    func overwritten() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.write(7, at: 0, "aaaa")
        written.sync(7)
        written.write(7, at: 0, "bb")
        written.write(7, at: 2, "cc")
        let trace = try written.read(in: directory)
        let found = try (UInt64(0)..<40).map { seed in
            try contents(of: DiskImage(cut: trace.records.count, content: .subset(seed: seed)), trace)["file"]
        }
        #expect(Set(found) == ["aaaa", "bbaa", "bbcc"])
    }

    @Test("a torn last record of a trace is left out, and a file without records is refused")
    func torn() throws {
        var written = WrittenTrace()
        written.create(7, "file")
        written.acknowledge("whole")
        written.acknowledge("torn")
        written.tear(2)
        #expect(try written.read(in: directory).acknowledgements.map(\.text) == ["whole"])
        let file = directory.file("other")
        try Data(repeating: 1, count: 100).write(to: file)
        #expect(throws: TraceError.self) { try Trace(contentsOf: file) }
    }

    private func text(of path: String, dropped trace: Trace) throws -> String {
        let image = DiskImage(cut: trace.records.count, content: .unsyncedDropped)
        return try #require(try contents(of: image, trace)[path])
    }

    private func contents(of image: DiskImage, _ trace: Trace) throws -> [String: String] {
        let target = directory.file(UUID().uuidString)
        try trace.write(image, to: target)
        var result: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: target.path) {
            guard let data = FileManager.default.contents(atPath: target.appendingPathComponent(path).path) else {
                continue
            }
            result[path] = String(decoding: data, as: UTF8.self)
        }
        return result
    }
}
