import FaultHarness
import Foundation
import Testing
import TidelogJSON
import TidelogSynchronization

@Suite("tidelog sync with answers that are lost after the commit", .timeLimit(.minutes(20)))
struct SyncCutTests {
    private static let ids = (0..<10).map { "n\($0)" }

    /// Loses the first answer to each mutation: the whole answer or, for every fourth mutation, its second half.
    private final class LostAnswers: Sendable {
        private let seen = Mutex<Set<String>>([])

        var count: Int { seen.withLock { $0.count } }

        func treat(_ arrival: Proxy.Arrival) -> Proxy.Treatment {
            guard arrival.isAnswerToMutation, let id = arrival.mutationID else { return .pass }
            return seen.withLock { seen in
                guard seen.insert(id).inserted else { return .pass }
                return seen.count % 4 == 0 ? .cutWithin : .cut
            }
        }
    }

    @Test("an element is appended to a list only once, even if the answer to each change is lost")
    func cuts() throws {
        let fleet = try Fleet.shop()
        let lost = LostAnswers()
        try fleet.connect { lost.treat($0) }
        _ = try fleet.synced("a")
        let rounds = 5 * crashScale
        var tags: [String] = []
        for round in 0..<rounds {
            tags.append("t\(round)")
            let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
            let notes = Self.ids.map { #"{"id":"\#($0)","title":"\#($0)","tags":[\#(list)]}"# }
            try fleet.save(notes, on: "a", isPatch: round > 0)
            #expect(try fleet.synced("a")["sent"]?.number == Self.ids.count)
        }
        #expect(lost.count == rounds * Self.ids.count)
        try fleet.stopServer()
        let versions = try fleet.servedVersions()
        #expect(versions.count == Self.ids.count)
        for id in Self.ids {
            let lists = versions[id, default: []].map(\.tags)
            #expect(lists == (1...rounds).map { Array(tags.prefix($0)) }, "\(id): \(lists)")
        }
        #expect(try fleet.export("a", "Note") == fleet.servedNotes())
    }
}
