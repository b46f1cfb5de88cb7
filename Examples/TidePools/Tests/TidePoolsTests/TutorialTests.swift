import Foundation
import LaterTidePools
import Testing
import TidePools
import Tidelog

/// Runs what docs/TUTORIAL.md shows, in its order.
@Suite("The tutorial", .timeLimit(.minutes(2)))
struct TutorialTests {
    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "tide-pools-\(UInt64.random(in: 1 ... .max))")

    private func opened(_ name: String) async throws -> Logbook {
        try await Logbook(at: directory.appending(path: name))
    }

    private func lines(_ logbook: Logbook) async throws -> [String] {
        try await logbook.store.fetch(Logbook.finds(at: "Rocks")).map { "\($0.name) × \($0.count)" }
    }

    @Test("a find is listed, counted again, and still there after the app was started again")
    func local() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        var logbook = try await opened("ann")
        let limpet = try await logbook.add("Limpet", at: "Rocks")
        _ = try await logbook.add("Crab", at: "Rocks")
        _ = try await logbook.add("Gull", at: "Pier")
        try await logbook.sawAnother(limpet.id)
        #expect(try await lines(logbook) == ["Limpet × 2", "Crab × 1"])
        try await logbook.store.close()

        logbook = try await opened("ann")
        #expect(try await lines(logbook) == ["Limpet × 2", "Crab × 1"])
        #expect(try await logbook.counts(of: limpet.id) == [1, 2])
        try await logbook.store.close()
    }

    @Test("a list that is followed shows a find as soon as it is saved")
    func followed() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let logbook = try await opened("ann")
        let (shown, continuation) = AsyncStream.makeStream(of: [String].self)
        let following = Task {
            try await logbook.follow("Rocks") { lines in
                continuation.yield(lines)
                return lines.isEmpty
            }
        }
        var results = shown.makeAsyncIterator()
        #expect(await results.next() == [])
        _ = try await logbook.add("Crab", at: "Rocks")
        #expect(await results.next() == ["Crab × 1"])
        try await following.value
        try await logbook.store.close()
    }

    @Test("two people count the same find without a network, and both counts arrive")
    func conflict() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let server = try TutorialServer(in: directory)
        let (ann, bob) = (try await opened("ann"), try await opened("bob"))
        let engines = try [ann, bob].map { try $0.engine(server.endpoint, key: TutorialServer.key) }
        let crab = try await ann.add("Crab", at: "Rocks")
        for engine in engines { #expect(await engine.runOnce(until: .now + .seconds(60)).failure == nil) }
        #expect(try await lines(bob) == ["Crab × 1"])

        // Without a network, Ann sees two more crabs, and Bob three.
        for _ in 0..<2 { try await ann.sawAnother(crab.id) }
        for _ in 0..<3 { try await bob.sawAnother(crab.id) }
        for engine in engines + engines { #expect(await engine.runOnce(until: .now + .seconds(60)).failure == nil) }
        #expect(try await lines(ann) == ["Crab × 6"])
        #expect(try await lines(bob) == ["Crab × 6"])
        for logbook in [ann, bob] { try await logbook.store.close() }
    }

    @Test("the next version of the app opens the logbook with a renamed and a new field")
    func later() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let logbook = try await opened("ann")
        _ = try await logbook.add("Crab", at: "Rocks")
        try await logbook.store.close()
        let later = try await LaterLogbook(at: directory.appending(path: "ann"))
        #expect(try await later.lines() == ["Crab at Rocks"])
        try await later.store.close()
    }
}
