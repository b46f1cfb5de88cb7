import Testing
import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Reconciler")
struct ReconcilerTests {
    private static let post = RecordReference(model: "Post", id: "1")
    private static func row(_ title: String) -> Record {
        Record(model: "Post", values: ["id": "1", "title": .string(title)])
    }

    private struct Combination {
        let record: ServerRecord
        let source: Reconciler.Source
        let standing: Reconciler.Standing
        let isInScope: Bool

        var result: Reconciler.Result {
            Reconciler().reconcile(record, from: source, standing) { _ in isInScope }
        }
    }

    /// Every combination of the server's record and the data in the store.
    private static var all: [Combination] {
        var all: [Combination] = []
        let known: [ServerState?] =
            [nil]
            + [1, 3, 5].flatMap { version in
                [10, 30, 50].flatMap { time in
                    [nil, 0, 1].flatMap { base in
                        [false, true].map {
                            ServerState(baseVersion: base, version: version, lastChangedAt: time, isDeleted: $0)
                        }
                    }
                }
            }
        let shadows = [nil, ServerRecord(post, row: row("shadow"), version: 4, lastChangedAt: 40)]
        for known in known {
            for serverRow in [nil, row("server")] {
                for local in [nil, row("server"), row("local")] {
                    for source in [Reconciler.Source.push, .query, .baseQuery(startedAt: 40), .response] {
                        for (index, shadow) in (shadows + shadows).enumerated() {
                            for isInScope in [true, false] {
                                all.append(
                                    Combination(
                                        record: ServerRecord(post, row: serverRow, version: 3, lastChangedAt: 30),
                                        source: source,
                                        standing: Reconciler.Standing(
                                            known: known, row: local, holdsRow: index < 2, shadow: shadow,
                                            serverRow: index < 2 ? shadow?.row ?? row("server") : local),
                                        isInScope: isInScope))
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    @Test("a change that yields to a record which a base query has not found since then shows no record")
    func yieldedToMissing() {
        let remote = ServerRecord(Self.post, row: Self.row("server"), version: 3, lastChangedAt: 30)
        let missing = ServerRecord(Self.post, row: nil, version: 3, lastChangedAt: 30)
        for holdsRow in [false, true] {
            let standing = Reconciler.Standing(
                known: missing.state(base: 0), row: Self.row("local"), holdsRow: holdsRow, shadow: missing,
                serverRow: nil)
            let result = Reconciler().reconcile(remote, from: .response, standing) { _ in true }
            let state = missing.state(base: holdsRow ? 3 : nil)
            #expect(result.events == [.receivedDeletion(state, isShadowed: holdsRow)])
            #expect(!result.serverWentBack)
        }
        #expect(SyncStore.latest(remote, missing) == missing && SyncStore.latest(missing, remote) == missing)
        let later = ServerRecord(Self.post, row: Self.row("later"), version: 4, lastChangedAt: 40)
        #expect(SyncStore.latest(later, missing) == later && SyncStore.latest(missing, later) == later)
    }

    @Test("while a change is pending, a record from the server is shadowed and does not change the row")
    func shadowed() {
        for combination in Self.all where combination.standing.holdsRow {
            for event in combination.result.events {
                switch event {
                case .received(_, _, let isShadowed), .receivedDeletion(_, let isShadowed): #expect(isShadowed)
                case .acknowledged, .leftScope: Issue.record("\(combination)")
                }
            }
        }
    }

    @Test("without a pending change, the visible row becomes the server's row and has no base version")
    func visible() {
        for combination in Self.all where !combination.standing.holdsRow && combination.isInScope {
            let standing = combination.standing
            let isShadowNewer = combination.source == .response && standing.shadow != nil
            let expected = isShadowNewer ? Self.row("shadow") : combination.record.row
            for event in combination.result.events {
                switch event {
                case .received(let row, let state, let isShadowed):
                    #expect(row == expected && !isShadowed && state.baseVersion == nil && row != standing.row)
                case .receivedDeletion(let state, let isShadowed):
                    #expect(expected == nil && !isShadowed && state.isDeleted && standing.row != nil)
                case .acknowledged(let state):
                    #expect(standing.row == expected && state.baseVersion == nil)
                case .leftScope: Issue.record("\(combination)")
                }
            }
        }
    }

    @Test("a push is applied only if its version is higher than the known version")
    func pushes() {
        for combination in Self.all where combination.source == .push && combination.isInScope {
            let known = combination.standing.known?.version ?? 0
            #expect(combination.result.events.isEmpty == (known >= 3), "\(combination)")
        }
    }

    @Test("a delta query's record is applied if its version is higher, or if the same version has another row here")
    func queries() {
        for combination in Self.all where combination.source == .query && combination.isInScope {
            let known = combination.standing.known
            let isSame = known?.version == 3 && known?.lastChangedAt == 30
            let differs = isSame && combination.standing.serverRow != combination.record.row
            #expect(combination.result.events.isEmpty == ((known?.version ?? 0) >= 3 && !differs), "\(combination)")
        }
    }

    @Test("a base query lowers a record's version only if the known state is older than the query")
    func baseQueries() {
        for combination in Self.all where combination.source == .baseQuery(startedAt: 40) && combination.isInScope {
            guard let known = combination.standing.known, let version = known.version else {
                #expect(!combination.result.events.isEmpty)
                continue
            }
            let isSame = version == 3 && known.lastChangedAt == 30
            // The app may now declare other fields than when it received this version.
            if isSame, combination.standing.serverRow != combination.record.row {
                #expect(combination.result.events.count == 1)
                continue
            }
            let isLater = version >= 3 && known.lastChangedAt == 50
            #expect(combination.result.events.isEmpty == (isSame || isLater), "\(combination)")
        }
    }

    @Test("a server's record that arrives while changes are pending keeps the base version of the oldest change")
    func baseVersion() {
        for combination in Self.all where combination.standing.holdsRow && combination.source != .response {
            let known = combination.standing.known
            for event in combination.result.events {
                guard let state = event.state else { continue }
                #expect(state.baseVersion == known?.baseVersion ?? known?.version ?? 0)
                #expect(state.version == 3)
            }
        }
    }

    @Test(
        "after a response that a push overtook, the pushed record becomes visible only if it is in the scope",
        arguments: [true, false])
    func overtakenScope(isPushInScope: Bool) {
        let response = ServerRecord(Self.post, row: Self.row("response"), version: 1, lastChangedAt: 10)
        let shadow = ServerRecord(Self.post, row: Self.row("pushed"), version: 2, lastChangedAt: 20)
        let standing = Reconciler.Standing(
            known: shadow.state(base: 0), row: Self.row("response"), holdsRow: false, shadow: shadow, serverRow: nil)
        let result = Reconciler().reconcile(response, from: .response, standing) { row in
            row["title"] == (isPushInScope ? "pushed" : "response")
        }
        let shown = Reconciler.Event.received(Self.row("pushed"), shadow.state(), isShadowed: false)
        #expect(result.events == (isPushInScope ? [shown] : [.acknowledged(shadow.state()), .leftScope]))
    }

    @Test("each response becomes an event, and the next pending change starts from the version of the response")
    func responses() {
        for combination in Self.all where combination.source == .response {
            let result = combination.result
            #expect(!result.events.isEmpty)
            guard combination.standing.holdsRow, let state = result.events.first?.state else { continue }
            #expect(state.baseVersion ?? state.version == 3)
            #expect(state.version == (combination.standing.shadow == nil ? 3 : 4))
        }
    }

    @Test("a known record that the server still has, and that the scope does not include, leaves the store")
    func knownOutsideScope() {
        let record = ServerRecord(Self.post, row: Self.row("server"), version: 3, lastChangedAt: 30)
        for holdsRow in [true, false] {
            let standing = Reconciler.Standing(
                known: record.state(), row: record.row, holdsRow: holdsRow, serverRow: record.row)
            let result = Reconciler().reconcile(record, from: .query, standing) { _ in false }
            #expect(result.events == (holdsRow ? [] : [.leftScope]))
        }
    }

    @Test("a record outside the scope leaves the store if it has no pending change")
    func scope() {
        for combination in Self.all where !combination.isInScope && !combination.standing.holdsRow {
            // The sync expression decides about rows, and a deletion has no row.
            let isShadowShown = combination.source == .response && combination.standing.shadow != nil
            guard combination.record.row != nil || isShadowShown else { continue }
            let events = combination.result.events
            let isHere = combination.standing.row != nil || combination.standing.known != nil
            if combination.source == .response {
                #expect(events.count == (isHere ? 2 : 1))
            } else if !events.isEmpty {
                #expect(isHere)
            }
            #expect(events.allSatisfy { $0 == .leftScope || $0.state != nil && combination.source == .response })
        }
    }

    @Test("a state with a later time but no higher version shows that the server was restored")
    func restored() {
        for combination in Self.all where !combination.source.isBaseQuery {
            let known = combination.standing.known
            let isBack = known.map { $0.version ?? 0 >= 3 && $0.lastChangedAt < 30 } ?? false
            #expect(combination.result.serverWentBack == isBack, "\(combination)")
        }
    }

    @Test("without versions, an answered change replaces its base even if it has an earlier time")
    func earlierTime() {
        let base = ServerRecord(Self.post, row: Self.row("base"), version: 50 << 20, lastChangedAt: 50)
        for answer in [
            ServerRecord(Self.post, row: Self.row("changed"), version: 40 << 20, lastChangedAt: 40),
            ServerRecord(Self.post, row: nil, version: 40 << 20, lastChangedAt: 40),
        ] {
            var standing = Reconciler.Standing(
                known: base.state(), row: Self.row("local"), holdsRow: false, shadow: base, serverRow: base.row)
            standing.mutatedVersion = base.version
            let result = Reconciler(hasVersions: false).reconcile(answer, from: .response, standing) { _ in true }
            #expect(!result.isInDoubt)
            let expected: Reconciler.Event =
                answer.row.map { .received($0, answer.state(), isShadowed: false) }
                ?? .receivedDeletion(answer.state(), isShadowed: false)
            #expect(result.events == [expected])
        }
    }

    @Test("without versions, a missing record is asked for again if another state of it arrived before the answer")
    func missingAfterArrival() {
        let arrived = ServerRecord(Self.post, row: Self.row("new"), version: 50 << 20, lastChangedAt: 50)
        var standing = Reconciler.Standing(
            known: arrived.state(), row: Self.row("local"), holdsRow: false, shadow: arrived, serverRow: arrived.row)
        standing.mutatedVersion = 10 << 20
        // A missing record has the stamp of the known state.
        let missing = ServerRecord(Self.post, row: nil, version: arrived.version, lastChangedAt: 50)
        #expect(Reconciler(hasVersions: false).reconcile(missing, from: .response, standing) { _ in true }.isInDoubt)
    }
}

extension Reconciler.Event {
    var state: ServerState? {
        switch self {
        case .received(_, let state, _), .receivedDeletion(let state, _), .acknowledged(let state): state
        case .leftScope: nil
        }
    }
}

extension Reconciler.Source {
    fileprivate var isBaseQuery: Bool { if case .baseQuery = self { true } else { false } }
}
