import TidelogCore
import TidelogSync

/// A fault of a sync engine. The simulation plants it by changing the inputs, the actions or their results, and must find it.
package enum PlantedFault: String, Sendable, Hashable, CaseIterable {
    /// Marks are not read after a crash, so a mutation gets another id.
    case marksIgnored
    /// A request that has no answer is awaited forever.
    case noTimeLimit
    /// The return of the network starts no work.
    case networkReturnIgnored
    /// Changes made while a mutation is in flight count as answered together with the mutation.
    case laterChangesForgotten
    /// A server's record replaces a row that has pending changes.
    case pushNotShadowed
    /// A push with an old version is accepted.
    case oldVersionTaken
    /// A record that is created after its deletion was answered goes out as an update.
    case recreationAsUpdate
    /// No query follows the loss of a subscription.
    case noQueryAfterLoss
    /// A complete base query removes nothing.
    case nothingSwept
    /// The last sync is recorded before the last page.
    case lastSyncTooEarly
    /// A query that had an unusable record counts as complete.
    case unusableHidden
    /// The nulls of pushes and responses are taken as they are.
    case hintTaken
    /// A record that a base query did not see leaves the store, even if it changed just before the query.
    case doubtIgnored
    /// A base query begins with its first page after each restart.
    case baseQueryForgotten
    /// A record whose time is earlier than the known one's is never believed, as if all clocks were the same. This fault and
    /// the following ones are planted in engines of servers without versions.
    case timesOrdered
    /// Messages of subscriptions are taken as whole records.
    case messagesTaken
    /// A record leaves the store as soon as a list lacks it, also if the list has an unusable element.
    case absenceBelieved
    /// Deletions are not looked for after a query for the changes since a time.
    case keysIgnored
}

extension PlantedFault {
    /// The answer as an engine with this fault receives it.
    func changed(_ answer: SyncMachine.Answer) -> SyncMachine.Answer {
        guard case .page(var response, let query) = answer, case .page(var page) = response.content else {
            return answer
        }
        if self == .unusableHidden || self == .absenceBelieved { page.unusableCount = 0 }
        if self == .keysIgnored, query.content == .keys { page.unusableCount = 1 }
        if self == .noQueryAfterLoss, query.lastSync != nil { page.records = [] }
        response.content = .page(page)
        return .page(response, query)
    }

    /// Changes a write as an engine with this fault requests it.
    func change(
        _ append: inout SyncMachine.Append, _ pending: PendingChanges, of client: SimulatedClient
    ) async throws {
        for index in append.answers.indices {
            let answer = append.answers[index]
            if self == .hintTaken, case .taken(var record?) = answer.outcome {
                record.mayLackValues = false
                append.answers[index].outcome = .taken(record)
            }
        }
        guard self == .recreationAsUpdate else { return }
        for (slot, mark) in append.marks where mark.kind == .create {
            guard let reference = pending.reference(at: mark.first),
                let state = try await client.serverState(of: reference), state.isDeleted
            else { continue }
            append.marks[slot]?.kind = .update
            client.disguised.insert(mark.last)
        }
    }
}

extension SyncMachine.Request {
    /// The request with updates in place of creations whose last events are in `sequences`.
    func disguised(_ sequences: Set<SequenceNumber>) -> Self {
        guard case .mutations(var mutations, let tickets) = self else { return self }
        for index in mutations.indices where sequences.contains(mutations[index].id.sequence) {
            mutations[index].kind = .update
        }
        return .mutations(mutations, tickets)
    }
}

extension SimulatedClient {
    func serverState(of reference: RecordReference) async throws -> ServerState? {
        try await store.read { try $0.serverState(of: reference.model, id: reference.id) }
    }

    /// The note of a sync that is complete with the first page.
    func lastSync(_ page: Inbox.PageAppend) -> LastSync {
        LastSync(
            startedAt: page.baseStartedAt ?? simulation.now, notedAt: simulation.now + skew,
            expression: minimumRating.map { "rating >= \($0)" } ?? "")
    }

    /// Writes pushed records that are newer than the known ones as they are.
    func takeWhole(_ records: [ServerRecord], _ known: [RecordReference: UInt64]) async throws {
        for record in records where record.version > known[record.reference, default: 0] {
            guard let row = record.row, outbox?.pending.holdsRow(of: record.reference) == false else { continue }
            try await syncStore.store.write { try $0.append(received: row, server: record.state()) }
        }
    }

    /// Makes records visible that have lower versions than the device knows.
    func takeOldVersions(of records: [ServerRecord], _ known: [RecordReference: UInt64]) async throws {
        for record in records where record.version < known[record.reference, default: 0] {
            guard let row = record.row else { continue }
            try await syncStore.store.write { try $0.append(received: row, server: record.state()) }
        }
    }
}
