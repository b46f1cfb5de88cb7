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
            guard arrival.isAnswerToMutation, let ids = arrival.mutationID?.split(separator: ",") else { return .pass }
            return seen.withLock { seen in
                let new = Set(ids.map { String($0) }).subtracting(seen)
                guard !new.isEmpty else { return .pass }
                seen.formUnion(new)
                return seen.count % 4 == 0 ? .cutWithin : .cut
            }
        }
    }

    @Test(
        "an element is appended to a list only once, even if the answer to each change is lost, in requests of any size",
        arguments: [25, 1])
    func cuts(batch: Int) throws {
        let fleet = try Fleet.shop()
        let lost = LostAnswers()
        try fleet.connect { lost.treat($0) }
        _ = try fleet.synced("a")
        let rounds = (batch == 1 ? 2 : 4) * crashScale
        var tags: [String] = []
        for round in 0..<rounds {
            tags.append("t\(round)")
            let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
            let notes = Self.ids.map { #"{"id":"\#($0)","title":"\#($0)","tags":[\#(list)]}"# }
            try fleet.save(notes, on: "a", isPatch: round > 0)
            #expect(try fleet.synced("a", ["--batch", "\(batch)"])["sent"]?.number == Self.ids.count)
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
