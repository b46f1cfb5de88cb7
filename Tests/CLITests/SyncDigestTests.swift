import FaultHarness
import Foundation
import Testing
import TidelogJSON
import TidelogSynchronization

@Suite("catching up with a server without versions", .timeLimit(.minutes(30)))
struct SyncDigestTests {
    /// How many cities the server has.
    private static let cityCount = Int(ProcessInfo.processInfo.environment["TIDELOG_SYNC_CITIES"] ?? "") ?? 3_400
    private static let world = repository.appending(path: "Examples/World")

    /// The number of bytes that reached devices since the last call of `take()`.
    private final class ReceivedBytes: Sendable {
        private let count = Mutex(0)

        func add(_ more: Int) { count.withLock { $0 += more } }

        func take() -> Int {
            count.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    @Test("after changes of 3 % of the records, a device receives at most a quarter of the bytes of its first sync")
    func digest() throws {
        let fleet = try Fleet(Self.world.appending(path: "schema.graphql").path, ["--api", "gen2"])
        let received = ReceivedBytes()
        try fleet.connect { arrival in
            if arrival.direction == .toDevice { received.add(arrival.byteCount) }
            return .pass
        }
        let text = try String(contentsOf: Self.world.appending(path: "cities.ndjson"), encoding: .utf8)
        let cities = text.split(separator: "\n").prefix(Self.cityCount)
        let ids = try cities.map { try #require(JSONValue(parsing: Array($0.utf8))["id"]?.text) }
        try fleet.importCities(cities.joined(separator: "\n"))
        #expect(try fleet.synced("a", ["--durability", "relaxed"])["sent"]?.number == Self.cityCount)

        _ = received.take()
        let first = try fleet.synced("b", ["--durability", "relaxed"])
        #expect(first["received"]?.number == Self.cityCount && first["queries"]?["City"]?.text == "base")
        let base = received.take()
        #expect(try fleet.synced("b")["received"]?.number == 0)
        let unchanged = received.take()

        // One city of 34 is changed, and one of 340 is deleted.
        let changed = stride(from: 0, to: ids.count, by: 34).map { ids[$0] }
        let deleted = stride(from: 7, to: ids.count, by: 340).map { ids[$0] }
        let patches = changed.map { #"{"id":"\#($0)","population":7}"# }
        try fleet.importCities(patches.joined(separator: "\n"), isPatch: true)
        for id in deleted { _ = try fleet.run("a", "delete", "City", id) }
        #expect(try fleet.synced("a")["sent"]?.number == changed.count + deleted.count)
        _ = received.take()
        let next = try fleet.synced("b")
        let caughtUp = received.take()
        #expect(next["received"]?.number == changed.count && next["queries"]?["City"]?.text == "delta", "\(next)")
        print("\(ids.count) cities: \(base) bytes at first, \(unchanged) without changes, \(caughtUp) after changes")
        // A list of all keys and times is a fifth of a list of all fields, because these records are short.
        #expect(caughtUp * 4 <= base, "\(caughtUp) of \(base)")
        #expect(try fleet.synced("b", ["--verify"])["verification"]?["differences"]?.number == 0)
        try fleet.stopServer()
        #expect(try fleet.served("City") == fleet.export("b", "City"))
    }
}

extension Fleet {
    /// Imports cities, or the changed fields of cities, on device `a`.
    fileprivate func importCities(_ lines: String, isPatch: Bool = false) throws {
        let file = directory.file("cities.ndjson")
        try Data((lines + "\n").utf8).write(to: file)
        guard isPatch else {
            _ = try run("a", "import", "--schema", syncArguments("a")[4], "--durability", "relaxed", "City", file.path)
            return
        }
        let command = "tidelog save --patch --store \(store("a")) City - < \(file.path)"
        let outcome = try Tool.shell(command, in: directory.url)
        guard outcome.status == 0 else { throw ShopFailure(text: outcome.errors) }
    }
}
