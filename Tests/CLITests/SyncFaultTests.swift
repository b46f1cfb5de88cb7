import FaultHarness
import Foundation
import SeededNumbers
import Testing
import TidelogJSON
import TidelogSynchronization

@Suite("four devices, a network with faults, and kills", .timeLimit(.minutes(60)))
struct SyncFaultTests {
    private static let seedCount = UInt64(ProcessInfo.processInfo.environment["TIDELOG_SYNC_SEEDS"] ?? "") ?? 1
    private static let rounds = 6
    /// A sync without versions waits before it removes a record, so that its rounds take longer.
    private static let roundsWithoutVersions = 3

    @Test(
        "at the end all devices equal the server, each change is applied once, and no change is lost, in requests of any size",
        arguments: [(25, .store), (1, .store), (25, .database)] as [(Int, Fleet.Records)])
    func converge(batch: Int, records: Fleet.Records) throws {
        try run(batch: batch, records, .versioned)
    }

    @Test(
        "the same without versions, while a client without conditions changes the same records",
        arguments: [(25, .tagged), (1, .untagged), (25, .marking)] as [(Int, Fleet.API)])
    func withoutVersions(batch: Int, api: Fleet.API) throws {
        try run(batch: batch, .store, api)
    }

    private func run(batch: Int, _ records: Fleet.Records, _ api: Fleet.API) throws {
        guard Fleet.Records.possible.contains(records) else { return }
        let rounds = api == .versioned ? Self.rounds : Self.roundsWithoutVersions
        var counts: [String: Int] = [:]
        for seed in 0..<Self.seedCount {
            counts.merge(try Scene(seed, batch: batch, records, api).run(rounds: rounds)) { $0 + $1 }
        }
        var names = ["delay", "cut", "cut within", "killed sync", "killed server"]
        // These faults are rare, so a run of a few seeds may have none of them.
        if Self.seedCount >= 10 { names += ["silence", "replay", "answer lost after the commit"] }
        for name in names { #expect(counts[name] ?? 0 > 0, "\(counts)") }
        let scenes = "\(api), \(Self.seedCount) seeds, up to \(batch) changes in a request"
        print("\(scenes): \(counts.sorted { $0.key < $1.key })")
    }
}

/// Four devices and a server, and the changes and faults that one seed chooses for them.
private final class Scene: Sendable {
    private let seed: UInt64
    private let fleet: Fleet
    private let trouble: NetworkTrouble
    private let devices: [EditedDevice]
    /// The client without conditions, if the API has no versions.
    private let writer: PlainWriter?
    /// Whether the server keeps deleted records.
    private let keepsDeleted: Bool
    private let failures = Mutex<[String]>([])

    init(_ seed: UInt64, batch: Int, _ records: Fleet.Records, _ api: Fleet.API) throws {
        self.seed = seed
        keepsDeleted = api == .marking
        let (fleet, trouble) = (try Fleet.shop(records: records, api: api), NetworkTrouble(seed))
        try fleet.connect { trouble.treat($0) }
        (self.fleet, self.trouble) = (fleet, trouble)
        devices = zip(["a", "b", "c", "d"], ["lmdb", "sqlite", "lmdb", "sqlite"]).enumerated().map { number, device in
            EditedDevice(device.0, adapter: device.1, fleet, seed: seed * 100 + UInt64(number), batch: batch)
        }
        writer =
            api == .versioned
            ? nil
            : PlainWriter(
                port: fleet.port, seed: seed ^ 0xF00D, own: devices.map(\.own),
                others: EditedDevice.shared + devices.flatMap { device in (0..<2).map { "\(device.name)-\($0)-0" } })
    }

    /// Runs and checks the whole scene. Returns how often each fault happened.
    func run(rounds: Int) throws -> [String: Int] {
        try start()
        let serverKills = makeTrouble(rounds)
        #expect(failures.withLock { $0 } == [], "seed \(seed)")
        trouble.end()
        try settle()
        if writer != nil { try verify() }
        try fleet.stopServer()
        let served = try fleet.servedNotes()
        for device in devices {
            #expect(try fleet.export(device.name, "Note") == served, "seed \(seed), device \(device.name)")
        }
        var counts = ["killed sync": devices.map(\.killCount).reduce(0, +), "killed server": serverKills]
        if let writer {
            try StampHistory(
                seed: seed, versions: fleet.servedVersions(), keepsDeleted: keepsDeleted, devices: devices,
                writer: writer
            ).check()
            #expect(writer.answerCount > 0)
            counts["change without a condition"] = writer.answerCount
        } else {
            try checkHistory(served)
        }
        return trouble.counts.merging(counts) { $1 }
    }

    /// Creates the notes that every device changes. The network already has faults at this time.
    private func start() throws {
        for device in devices {
            while try Tool.finish(device.sync(patience: 2)).status != 0 {}
            try device.start()
        }
        try fleet.save(EditedDevice.shared.map { #"{"id":"\#($0)","title":"new"}"# }, on: "a")
        for device in devices { while try Tool.finish(device.sync(patience: 2)).status != 0 {} }
    }

    /// Runs each device in its own thread, and kills the server now and then. Returns the number of kills of the server.
    private func makeTrouble(_ rounds: Int) -> Int {
        let working = DispatchGroup()
        for device in devices {
            working.enter()
            Thread.detachNewThread { [self] in
                note { for round in 0..<rounds { try device.work(round: round) } }
                working.leave()
            }
        }
        let writing = DispatchGroup()
        if let writer {
            writing.enter()
            Thread.detachNewThread { [self] in
                write(writer, until: working)
                writing.leave()
            }
        }
        var random = SeededGenerator(seed ^ 0x5EED)
        var kills = 0
        while working.wait(timeout: .now() + .milliseconds(500 + random.below(1_500))) == .timedOut {
            note { try fleet.killServer() }
            kills += 1
        }
        writing.wait()
        return kills
    }

    /// Lets the client without conditions work until the devices have ended.
    private func write(_ writer: PlainWriter, until working: DispatchGroup) {
        while working.wait(timeout: .now() + .milliseconds(40)) == .timedOut { writer.work() }
    }

    private func note(_ work: () throws -> Void) {
        do { try work() } catch { failures.withLock { $0.append("\(error)") } }
    }

    /// Syncs each device twice and expects that no change is pending. Discards changes that were set aside.
    private func settle() throws {
        for device in devices + devices {
            let outcome = try Tool.finish(device.sync(patience: 20))
            #expect([0, 5].contains(outcome.status), "seed \(seed): \(outcome.errors)")
        }
        for device in devices {
            let left = try fleet.outbox(device.name)
            #expect(left.allSatisfy { $0["state"]?.text == "setAside" }, "seed \(seed): \(left)")
            if !left.isEmpty { _ = try fleet.run(device.name, "outbox", "discard", "--all") }
        }
    }

    /// Compares each device with a server without versions.
    private func verify() throws {
        // A digest cannot tell states with the same time and tag apart, so that such states need a full list.
        let twins = StampHistory.twins(try fleet.servedVersions())
        if !twins.isEmpty { print("seed \(seed): states with the same stamp: \(twins.sorted())") }
        let arguments = ["--verify"] + (twins.isEmpty ? [] : ["--sync-interval", "0"])
        for device in devices {
            let outcome = try fleet.sync(device.name, arguments)
            #expect(outcome.status == 0, "seed \(seed), device \(device.name): \(outcome.output)\(outcome.errors)")
            #expect(try outcome.object()["protocol"]?.text == "timestamps")
        }
    }

    private func checkHistory(_ served: String) throws {
        let present = Set(try served.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8))["id"]?.text })
        let deleted = devices.reduce(into: Set<String>()) { $0.formUnion($1.deleted) }
        for id in devices.flatMap(\.created) + EditedDevice.shared where !deleted.contains(id) {
            #expect(present.contains(id), "seed \(seed): \(id) is lost")
        }
        // A change that conflicts with a deletion can cancel the deletion. A deletion without such a change must hold.
        let titles = devices.reduce(into: [:]) { $0.merge($1.titles) { $0.union($1) } }
        let ratings = devices.reduce(into: [:]) { $0.merge($1.ratings) { $0.union($1) } }
        for id in deleted where titles[id] == nil && ratings[id] == nil {
            #expect(!present.contains(id), "seed \(seed): \(id) is still there")
        }
        let versions = try fleet.servedVersions()
        for (id, notes) in versions {
            #expect(notes.map(\.version) == Array(1...notes.count), "seed \(seed): \(id)")
            let end = notes.firstIndex(where: \.isDeleted) ?? notes.endIndex
            let isBack = notes[end...].contains { !$0.isDeleted }
            #expect(!isBack, "seed \(seed): \(id) came back")
            for content in notes.map(\.content) {
                let isTitle = ["new", id].contains(content.title) || titles[id]?.contains(content.title) == true
                let isRating = content.rating.map { ratings[id]?.contains($0) == true } ?? true
                #expect(isTitle && isRating, "seed \(seed): \(id) is \(content), which no device made of it")
            }
        }
        for device in devices {
            #expect(versions[device.own]?.last?.content == device.ownNote, "seed \(seed): \(device.own)")
        }
        try checkLists(versions)
    }

    /// Checks that one version of a note appended each element: to a list that equals the device's list, or by joining
    /// two lists.
    private func checkLists(_ versions: [String: [ServedNote]]) throws {
        var appended: [String: EditedDevice.Appended] = [:]
        for device in devices { appended.merge(device.appended) { first, _ in first } }
        for id in EditedDevice.shared {
            var tags: [String] = []
            for note in versions[id, default: []] where note.tags != tags {
                let sent = try #require(note.tags.last.flatMap { appended.removeValue(forKey: $0) }, "\(id): \(note)")
                let isNext = note.tags == sent.tags && Array(sent.tags.dropLast()) == tags
                #expect(isNext || note.tags == tags + sent.tags, "seed \(seed): \(tags), then \(note)")
                #expect(sent.id == id)
                tags = note.tags
            }
        }
        #expect(appended.isEmpty, "seed \(seed): no version has \(appended)")
    }
}
