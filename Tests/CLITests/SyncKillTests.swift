import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync, killed", .timeLimit(.minutes(30)))
struct SyncKillTests {
    /// Two devices that each change notes of their own, and what the server must have at the end.
    private final class Pair {
        let fleet: Fleet
        /// The tags of each note, and how often it was changed.
        private var notes: [String: (tags: [String], changes: Int)] = [:]
        private var deleted: Set<String> = []

        init() throws {
            fleet = try Fleet.shop()
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

        /// Both devices have what the server has, and the server has made one version of each change.
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

    @Test("a sync that is killed at any instant goes on, and nothing is there twice")
    func device() throws {
        let pair = try Pair()
        var (length, kills) = (Duration.zero, 0)
        let count = 20 * crashScale
        for round in 0..<count {
            let device = round % 2 == 0 ? "a" : "b"
            try pair.edit(device, round: round)
            let child = try Tool.start(pair.fleet.syncArguments(device))
            // The first rounds tell how long a sync takes; afterwards the instants are spread over it.
            if round > 1 {
                let part = Double((round * 7) % count) / Double(count)
                Thread.sleep(forTimeInterval: (length / .seconds(1)) * part)
                child.signal(SIGKILL)
            }
            let start = ContinuousClock.now
            let status = try Tool.finish(child).status
            if status == -SIGKILL { kills += 1 } else { #expect(status == 0) }
            if round == 1 { length = ContinuousClock.now - start }
            _ = try pair.fleet.synced(device)
        }
        #expect(kills > count / 2)
        try pair.check()
    }

    @Test("a sync whose server is killed at any instant and starts again goes on, and nothing is there twice")
    func server() throws {
        let pair = try Pair()
        let count = 10 * crashScale
        for round in 0..<count {
            let device = round % 2 == 0 ? "a" : "b"
            try pair.edit(device, round: round)
            let child = try Tool.start(pair.fleet.syncArguments(device))
            Thread.sleep(forTimeInterval: 0.25 * Double((round * 7) % count) / Double(count))
            try pair.fleet.killServer()
            let outcome = try Tool.finish(child)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try pair.check()
    }
}
