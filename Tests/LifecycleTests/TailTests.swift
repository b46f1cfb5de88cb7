import FaultHarness
import Foundation
import SeededNumbers
import TestStores
import Testing

@testable import Tidelog
@testable import TidelogCore

@Suite("The tail of a log")
struct TailTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func configuration(_ durability: Durability, _ byteCount: Int? = nil) -> DataStoreConfiguration {
        var configuration = DataStoreConfiguration(durability: durability)
        configuration.logTailByteCount = byteCount
        return configuration
    }

    /// Copies the files of the store as they are now. A killed process leaves the same files.
    private func leave(_ name: String = "left") throws -> URL {
        let target = scratch.path(name)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(at: scratch.path(), to: target)
        return target
    }

    private func tail(of store: URL, _ number: Int = 1) -> URL {
        store.appending(path: "generation-1/log/tail-\(number)")
    }

    /// Saves the items `r00`, `r01` and so on, and copies the files of the store. All items except the first stay in
    /// the tail.
    private func leaveInTail(_ store: DataStore, count: Int, as name: String, from original: String = "store")
        async throws
    {
        try await store.save(item(Self.id(0), "title"))
        let environment = try await store.logEnvironment()
        try await Task.detached { try environment.absorb() }.value
        // Until the files are copied, the environment absorbs nothing, however slow the machine is.
        let writeRight = environment.writeRight
        writeRight.wait()
        defer { writeRight.signal() }
        for number in 1..<count { try await store.save(item(Self.id(number), "title")) }
        try FileManager.default.copyItem(at: scratch.path(original), to: scratch.path(name))
    }

    private func titles(_ name: String) async throws -> [String] {
        let store = try await scratch.open(.init(factory: .lmdb()), name)
        let records = try await store.fetch(Record.all(of: "Item"))
        #expect(try await store.verify().isWhole)
        try await store.close()
        return records.map { if case .string(let id)? = $0["id"] { id } else { "" } }
    }

    /// The number of items, or `nil` if the items are not `r00`, `r01` and so on without a gap.
    private func count(_ name: String) async throws -> Int? {
        let ids = try await titles(name)
        return ids == (0..<ids.count).map(Self.id) ? ids.count : nil
    }

    private static func id(_ number: Int) -> String { "r\(number < 10 ? "00" : number < 100 ? "0" : "")\(number)" }

    @Test(
        "all commits that a killed process left in the tail are found, however often the tail switched files",
        arguments: Durability.allCases, [2_048, 8_192, nil] as [Int?])
    func killed(durability: Durability, byteCount: Int?) async throws {
        let store = try await scratch.open(
            .init(factory: .lmdb()), configuration: configuration(durability, byteCount))
        for number in 0..<60 {
            try await store.save(item(Self.id(number), "title"))
            if number % 7 == 0 {
                _ = try leave()
                #expect(try await count("left") == number + 1)
            }
        }
        try await store.close()
        #expect(try await count("store") == 60)
    }

    @Test("the position of a consumer that was moved in the tail survives a kill")
    func consumers() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.relaxed, 4_096))
        for number in 0..<30 {
            let commit = try await store.save(item(Self.id(number), "title"))
            let place = try store.position(of: commit.last)
            try await store.write { try $0.moveConsumer("audit", to: place) }
            #expect(try await store.consumer(named: "audit").position == place)
            guard number % 5 == 0 else { continue }
            _ = try leave()
            let left = try await scratch.open(.init(factory: .lmdb()), "left")
            #expect(try await left.consumer(named: "audit").position == place)
            try await left.close()
        }
        try await store.close()
    }

    @Test(
        "a tail's file that was cut anywhere gives the first commits, and accepts new commits",
        arguments: Durability.allCases)
    func cut(durability: Durability) async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(durability))
        try await leaveInTail(store, count: 10, as: "whole")
        let whole = try Data(contentsOf: tail(of: scratch.path("whole")))
        try await store.close()
        var counts: Set<Int> = []
        for end in stride(from: 0, to: 4_096, by: 97) {
            let copy = scratch.path("cut")
            try? FileManager.default.removeItem(at: copy)
            try FileManager.default.copyItem(at: scratch.path("whole"), to: copy)
            // After the cut, the file has zeros, as a new file has. This is a torn write.
            try (whole.prefix(end) + Data(count: whole.count - end)).write(to: tail(of: copy))
            guard end == 0 || end >= TailFormat.fileHeaderByteCount else { continue }
            let found = try #require(try await count("cut"), "cut at \(end)")
            counts.insert(found)
            let again = try await scratch.open(.init(factory: .lmdb()), "cut")
            try await again.save(item(Self.id(found), "new"))
            try await again.close()
            #expect(try await count("cut") == found + 1)
        }
        #expect(counts.contains(1) && counts.contains(10))
    }

    @Test("a write that is torn between sectors is complete or absent, for any content of earlier rounds in the file")
    func torn() async throws {
        var random = SeededGenerator(11)
        for durability in Durability.allCases {
            let name = "torn-\(durability.name)"
            let store = try await scratch.open(
                .init(factory: .lmdb()), name, configuration: configuration(durability, 24_576))
            var before: [Int: Data] = [:]
            for number in 0..<70 {
                try await store.save(item(Self.id(number), String(repeating: "x", count: random.below(6) * 500)))
                let after = (1...2).compactMap { file in
                    (try? Data(contentsOf: tail(of: scratch.path(name), file))).map { (file, $0) }
                }
                for sector in [512, 4_096] {
                    let copy = scratch.path("torn-copy")
                    try FileManager.default.copyItem(at: scratch.path(name), to: copy)
                    for (file, after) in after {
                        let mixed = Self.mix(before[file] ?? Data(), after, sector, &random)
                        try mixed.write(to: tail(of: copy, file))
                    }
                    let found = try await count("torn-copy")
                    #expect(found == number || found == number + 1, "\(durability) \(number)")
                    try FileManager.default.removeItem(at: copy)
                }
                before = Dictionary(uniqueKeysWithValues: after)
            }
            try await store.close()
        }
    }

    /// Mixes the contents of a file before and after a write, sector by sector, as a torn write does.
    private static func mix(_ before: Data, _ after: Data, _ sector: Int, _ random: inout SeededGenerator) -> Data {
        var mixed = after
        for start in stride(from: 0, to: after.count, by: sector) where random.once(in: 2) {
            let end = min(start + sector, after.count)
            guard end <= before.count else { continue }
            mixed.replaceSubrange(start..<end, with: before[start..<end])
        }
        return mixed
    }

    @Test("a group does not come back after power loss removed the groups before it")
    func separated() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.relaxed, 2_048))
        var places: [Position] = []
        for number in 0..<40 {
            let commit = try await store.save(item(Self.id(number), "title"))
            places.append(try store.position(of: commit.last))
        }
        // Each of these groups only moves a consumer, so all of them follow the same event. The environment absorbs
        // none of them.
        let environment = try await store.logEnvironment()
        try await Task.detached { try environment.absorb() }.value
        environment.writeRight.wait()
        for place in places { try await store.write { try $0.moveConsumer("audit", to: place) } }
        let files = try leave("lost")
        environment.writeRight.signal()
        try await store.close()

        // A power loss removes the first group of the older file, and keeps everything in the other file.
        let rounds = try (1...2).map { number in try groups(in: tail(of: files, number)).map(\.frame.header.number) }
        let older = try #require(rounds[0].first) < #require(rounds[1].first) ? 0 : 1
        try #require(rounds[older].last.map { $0 + 1 } == rounds[1 - older].first)
        var bytes = try Data(contentsOf: tail(of: files, older + 1))
        let other = try Data(contentsOf: tail(of: files, 2 - older))
        bytes.replaceSubrange(
            TailFormat.fileHeaderByteCount..<TailFormat.fileHeaderByteCount + TailFormat.frameHeaderByteCount,
            with: Data(count: TailFormat.frameHeaderByteCount))
        // The next process begins with file 1, so the older file becomes file 1.
        try bytes.write(to: tail(of: files, 1))
        try other.write(to: tail(of: files, 2))
        for number in 1...2 { try restartSystem(tail(of: files, number)) }

        // This writes as many groups as the file lost, and they follow the same event. The first one registers the
        // consumer `audit`.
        let after = try await scratch.open(
            .init(factory: .lmdb()), "lost", configuration: configuration(.relaxed, 2_048))
        let kept = try await after.consumer(named: "audit").position
        #expect(kept != places.last)
        for place in places.prefix(rounds[older].count - 1) {
            try await after.write { try $0.moveConsumer("other", to: place) }
        }
        try FileManager.default.copyItem(at: files, to: scratch.path("left"))
        try await after.close()
        let found = try await scratch.open(.init(factory: .lmdb()), "left")
        #expect(try await found.consumer(named: "audit").position == kept)
        try await found.close()
    }

    /// The groups in a file of a tail.
    private func groups(in file: URL) throws -> [(frame: TailFrame, range: Range<Int>)] {
        let bytes = try Array(Data(contentsOf: file))
        guard case .header(let header) = try TailHeader.found(in: bytes) else { return [] }
        return try TailFileContents(bytes).round(from: header.byteCount)
    }

    /// Changes the header of a tail's file, as if the system was restarted after the file was written.
    private func restartSystem(_ file: URL) throws {
        var bytes = try Data(contentsOf: file)
        guard case .header(let header) = try TailHeader.found(in: Array(bytes)) else { return }
        let earlier = TailHeader(
            store: header.store, incarnation: try #require(header.incarnation), uptime: "earlier 0:0 mount=1")
        bytes.replaceSubrange(0..<TailFormat.fileHeaderByteCount, with: earlier.bytes)
        try bytes.write(to: file)
    }

    /// Saves six items, five of which stay in the tail. Returns the bytes of the tail's file and the range of its last group.
    private func leaveSix(
        _ durability: Durability, as whole: String
    ) async throws -> (bytes: Data, last: Range<Int>) {
        let name = "original-\(whole)"
        let store = try await scratch.open(.init(factory: .lmdb()), name, configuration: configuration(durability))
        try await leaveInTail(store, count: 6, as: whole, from: name)
        try await store.close()
        let file = tail(of: scratch.path(whole))
        return (try Data(contentsOf: file), try #require(groups(in: file).last?.range))
    }

    /// A copy of the store `whole` whose tail has `bytes`.
    private func copy(_ whole: String, to name: String, tail bytes: Data) throws {
        try? FileManager.default.removeItem(at: scratch.path(name))
        try FileManager.default.copyItem(at: scratch.path(whole), to: scratch.path(name))
        try bytes.write(to: tail(of: scratch.path(name)))
    }

    @Test(
        "a flipped bit in the tail is reported as damage, or makes only the last group disappear",
        arguments: Durability.allCases)
    func flipped(durability: Durability) async throws {
        var random = SeededGenerator(3)
        let (bytes, last) = try await leaveSix(durability, as: "whole")
        for _ in 0..<60 {
            let offset = Int.random(in: 0..<last.upperBound, using: &random)
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try copy("whole", to: "flipped", tail: damaged)
            do {
                let found = try await count("flipped")
                #expect(found == 5 && offset >= last.lowerBound, "\(durability) byte \(offset)")
            } catch let error as DataStoreError {
                let isHeader = offset < TailFormat.fileHeaderByteCount
                #expect(
                    error.code == .logDamaged || isHeader && error.code == .newerFormat,
                    "\(durability) byte \(offset): \(error)")
            }
        }
    }

    @Test(
        "for a process that only reads, a damaged group of the tail is an error and not a shorter log",
        arguments: Durability.allCases)
    func damagedForReaders(durability: Durability) async throws {
        var (bytes, _) = try await leaveSix(durability, as: "whole")
        let second = try groups(in: tail(of: scratch.path("whole")))[1].range
        bytes[second.lowerBound + 60] ^= 4
        try copy("whole", to: "damaged", tail: bytes)
        let log = try EventLog(readingStoreAt: scratch.path("damaged").path)
        defer { log.close() }
        let error = #expect(throws: DataStoreError.self) { try log.withReader { _ = try $0.head() } }
        #expect(error?.code == .logDamaged)
        await #expect(throws: DataStoreError.self) { try await StoreFiles.verifyLog(at: scratch.path("damaged")) }
        #expect(throws: DataStoreError.self) { try LogWriter.copy(log, to: scratch.path("copied").path) }
    }

    @Test("if power loss removes a group of a relaxed log, the groups after it are gone and new writes succeed")
    func lostGroup() async throws {
        var (bytes, _) = try await leaveSix(.relaxed, as: "whole")
        let third = try groups(in: tail(of: scratch.path("whole")))[2].range
        bytes[third.lowerBound + 60] ^= 4
        try copy("whole", to: "lost", tail: bytes)
        await #expect(throws: DataStoreError.self) { _ = try await count("lost") }
        try copy("whole", to: "lost", tail: bytes)
        try restartSystem(tail(of: scratch.path("lost")))
        #expect(try await count("lost") == 3)
        let store = try await scratch.open(.init(factory: .lmdb()), "lost")
        for number in 3..<9 { try await store.save(item(Self.id(number), "new")) }
        try await store.close()
        #expect(try await count("lost") == 9)
    }

    @Test(
        "a damaged header of a tail's file without groups is replaced, and the store opens with a warning",
        arguments: Durability.allCases)
    func damagedHeader(durability: Durability) async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(durability))
        for number in 0..<3 { try await store.save(item(Self.id(number), "title")) }
        try await store.close()
        var bytes = try Data(contentsOf: tail(of: scratch.path()))
        for offset in [3, 20, 45, 300] {
            bytes[offset] ^= 1
            try bytes.write(to: tail(of: scratch.path()))
            #expect(try StoreFiles.describe(at: scratch.path()).eventCount == 4)
            #expect(try await count("store") == 3)
        }
        let again = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(durability))
        let warnings = try await again.metrics().openingWarnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(tail(of: scratch.path()).path) ?? false)
        try await again.save(item(Self.id(3), "title"))
        _ = try leave()
        #expect(try await count("left") == 4)
        try await again.close()
    }

    @Test("after a backup is copied over a store, the store's old tail is ignored", arguments: Durability.allCases)
    func copiedBackup(durability: Durability) async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(durability))
        for number in 0..<4 { try await store.save(item(Self.id(number), "title")) }
        try await store.backup(to: scratch.path("backup"))
        for number in 4..<8 { try await store.save(item(Self.id(number), "title")) }
        let left = try leave()
        try await store.close()
        #expect(try !groups(in: tail(of: left)).isEmpty)
        let log = "generation-1/log/data.mdb"
        try FileManager.default.removeItem(at: left.appending(path: log))
        try FileManager.default.copyItem(at: scratch.path("backup").appending(path: log), to: left.appending(path: log))
        #expect(try await count("left") == 4)
        let restored = try await scratch.open(.init(factory: .lmdb()), "left")
        for number in 4..<6 { try await restored.save(item(Self.id(number), "new")) }
        try FileManager.default.copyItem(at: left, to: scratch.path("again"))
        #expect(try await count("again") == 6)
        try await restored.close()
    }

    @Test("a process that follows the log sees each group, also after a group that was too large for the tail")
    func following() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.full, 16_384))
        let log = try store.current().log
        let follower = TailFollower(directory: log.files.directory)
        let seen = { () throws -> (head: SequenceNumber?, count: Int) in
            while true {
                guard let view = try follower.view(log.files.begin(), log.files) else { continue }
                defer { view.end() }
                return (try view.reader.head()?.sequence, try view.reader.eventCount())
            }
        }
        var number = 0
        for round in 0..<6 {
            for _ in 0..<20 {
                try await store.save(item(Self.id(number), "title"))
                number += 1
                #expect(try seen() == (log.knownHead, Int(log.knownHead.value)), "round \(round), item \(number)")
            }
            let large = round % 2 == 0 ? 20_000 : 100
            try await store.save(item("large", String(repeating: "x", count: large)))
            if round % 3 == 0 { #expect(try seen().head == log.knownHead, "round \(round)") }
        }
        try await store.close()
    }

    @Test("a write fails if a tail's file cannot be opened, and succeeds once the file can be opened")
    func unopenableFile() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.full))
        let obstacle = tail(of: scratch.path())
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        let error = await #expect(throws: DataStoreError.self) { try await store.save(item("a", "title")) }
        #expect(error?.code == .inputOutput)
        try FileManager.default.removeItem(at: obstacle)
        try await store.save(item(Self.id(0), "title"))
        try await store.close()
        #expect(try await count("store") == 1)
    }

    @Test("a store with the tail of another store is refused as damaged, and its files are not changed")
    func foreign() async throws {
        for name in ["one", "two"] {
            let store = try await scratch.open(.init(factory: .lmdb()), name, configuration: configuration(.full))
            try await store.save(item("a", name))
            try FileManager.default.copyItem(at: scratch.path(name), to: scratch.path("left-\(name)"))
            try await store.close()
        }
        let file = tail(of: scratch.path("left-one"))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: tail(of: scratch.path("left-two")), to: file)
        try FileManager.default.copyItem(at: scratch.path("left-one"), to: scratch.path("before"))
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await scratch.open(.init(factory: .lmdb()), "left-one")
        }
        #expect(error?.code == .logDamaged)
        let changed = try directoryDifferences(scratch.path("before"), scratch.path("left-one")) {
            $0.hasSuffix(".lock") || Trace.isSharedMemory($0)
        }
        #expect(changed == [])
    }

    @Test("describe, verify and salvage of a killed store include the events in the tail")
    func tools() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.relaxed, 4_096))
        for number in 0..<25 { try await store.save(item(Self.id(number), "title")) }
        let left = try leave()
        try await store.close()
        #expect(try StoreFiles.describe(at: left).eventCount == 26)
        let report = try await StoreFiles.verifyLog(at: left)
        #expect(report.isWhole && report.eventCount == 26)
        let salvage = try await StoreFiles.salvage(from: left, to: scratch.path("salvaged"))
        #expect(salvage.keptCount == 26 && salvage.missingCount == 0, "\(salvage)")
        #expect(try await count("salvaged") == 25)
    }

    @Test("a backup and a compacted, shrunk log include the events in the tail")
    func copies() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.relaxed, 8_192))
        for number in 0..<40 { try await store.save(item(Self.id(number), "title")) }
        try await store.backup(to: scratch.path("backup"))
        #expect(try await count("backup") == 40)
        try await store.compact(shrink: true)
        for number in 40..<60 { try await store.save(item(Self.id(number), "title")) }
        #expect(try await store.verify().isWhole)
        _ = try leave()
        #expect(try await count("left") == 60)
        try await store.close()
        #expect(try await count("store") == 60)
    }

    @Test("a view that begins while the environment absorbs groups has every group that was acknowledged")
    func absorbingView() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: configuration(.relaxed))
        for number in 0..<20 { try await store.save(item(Self.id(number), "title")) }
        let (log, environment) = (try store.current().log, try await store.logEnvironment())
        let head = log.knownHead
        let before = try log.begin { files in
            let transaction = try files.begin()
            try environment.absorb()
            return transaction
        }
        #expect(try before.reader.head()?.sequence == head && before.reader.event(at: head) != nil)
        #expect(try before.reader.eventCount() == Int(head.value))
        before.end()
        for number in 20..<40 { try await store.save(item(Self.id(number), "title")) }
        let after = try log.begin { files in
            try environment.absorb()
            return try files.begin()
        }
        #expect(try after.reader.head()?.sequence == log.knownHead && !after.recent.hasEvents)
        #expect(try after.reader.eventCount() == Int(log.knownHead.value))
        after.end()
        try await store.close()
    }
}
