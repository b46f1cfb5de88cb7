import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync, killed", .timeLimit(.minutes(30)))
struct SyncKillTests {
    /// Two devices that change separate notes, and the notes that the server must have at the end.
    private final class Pair {
        let fleet: Fleet
        /// The tags of each note, and the number of its changes.
        private var notes: [String: (tags: [String], changes: Int)] = [:]
        private var deleted: Set<String> = []

        init(_ records: Fleet.Records = .store) throws {
            fleet = try Fleet.shop(records: records)
            _ = try fleet.synced("a")
            _ = try fleet.synced("b", ["--adapter", "sqlite"])
        }

        /// Creates notes, appends to some older ones, and deletes one.
        func edit(_ device: String, round: Int) throws {
            let present = notes.keys.filter { $0.hasPrefix(device) && !deleted.contains($0) }.sorted()
            if let first = present.first, present.count > 12 {
                _ = try fleet.run(device, "delete", "Note", first)
                deleted.insert(first)
                notes[first]?.changes += 1
            }
            let patches = present.dropFirst().prefix(8).map { id in
                notes[id]?.tags.append("t\(round)")
                notes[id]?.changes += 1
                let tags = notes[id]?.tags.map { "\"\($0)\"" }.joined(separator: ",") ?? ""
                return #"{"id":"\#(id)","tags":[\#(tags)]}"#
            }
            try fleet.save(Array(patches), on: device, isPatch: true)
            let new = (0..<4).map { "\(device)-\(round)-\($0)" }
            for id in new { notes[id] = (["first"], 1) }
            try fleet.save(new.map { #"{"id":"\#($0)","title":"\#($0)","tags":["first"]}"# }, on: device)
        }

        /// Checks that both devices equal the server, and that the server made one version of each change.
        func check() throws {
            for device in ["a", "b", "a"] { _ = try fleet.synced(device) }
            try fleet.stopServer()
            let served = try fleet.servedNotes()
            for device in ["a", "b"] {
                #expect(try fleet.export(device, "Note") == served)
                #expect(try fleet.outbox(device).isEmpty)
            }
            let versions = try fleet.servedVersions()
            #expect(Set(versions.keys) == Set(notes.keys))
            for (id, note) in notes {
                let last = versions[id]?.last
                #expect(versions[id]?.map(\.version) == Array(1...note.changes), "\(id)")
                #expect(last?.tags == note.tags && last?.isDeleted == deleted.contains(id), "\(id)")
            }
        }
    }

    /// Instants that are spread over the length of an undisturbed sync.
    private struct Instants {
        private let length: Double
        private var number = 0

        /// Measures one sync of each device, with changes to send. The shorter one is the length.
        init(_ pair: Pair) throws {
            var seconds: [Double] = []
            for device in ["a", "b"] {
                try pair.edit(device, round: 0)
                let start = ContinuousClock.now
                _ = try pair.fleet.synced(device)
                seconds.append((ContinuousClock.now - start) / .seconds(1))
            }
            length = seconds.min() ?? 0
        }

        /// Waits from the start of a sync until the next instant.
        mutating func wait() {
            // The fractional parts of the multiples of this number are spread evenly, for any count of multiples.
            Thread.sleep(forTimeInterval: length * (Double(number) * 0.618_034).truncatingRemainder(dividingBy: 1))
            number += 1
        }
    }

    @Test(
        "after a sync is killed at any instant, the next sync continues, and no change is applied twice, in requests of any size",
        arguments: [25, 1])
    func device(batch: Int) throws {
        let pair = try Pair()
        var instants = try Instants(pair)
        let count = 20 * crashScale
        var (kills, round) = (0, 0)
        // Some syncs may end before their kill, but most do not.
        while kills < count, round < 3 * count {
            round += 1
            let device = round % 2 == 0 ? "a" : "b"
            try pair.edit(device, round: round)
            let child = try Tool.start(pair.fleet.syncArguments(device, ["--batch", "\(batch)"]))
            instants.wait()
            child.signal(SIGKILL)
            let status = try Tool.finish(child).status
            if status == -SIGKILL { kills += 1 } else { #expect(status == 0) }
            _ = try pair.fleet.synced(device)
        }
        #expect(kills == count)
        try pair.check()
        print("\(kills) of \(round) syncs killed, up to \(batch) changes in a request")
    }

    @Test(
        "a sync continues after its server is killed and started again, and no change is applied twice, in requests of any size",
        arguments: [25, 1], Fleet.Records.possible)
    func server(batch: Int, records: Fleet.Records) throws {
        let pair = try Pair(records)
        var instants = try Instants(pair)
        let count = (records == .store ? 10 : 5) * crashScale
        for round in 1...count {
            let device = round % 2 == 0 ? "a" : "b"
            try pair.edit(device, round: round)
            let child = try Tool.start(pair.fleet.syncArguments(device, ["--batch", "\(batch)"]))
            instants.wait()
            try pair.fleet.killServer()
            let outcome = try Tool.finish(child)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try pair.check()
        print("server killed \(count) times, up to \(batch) changes in a request")
    }
}
