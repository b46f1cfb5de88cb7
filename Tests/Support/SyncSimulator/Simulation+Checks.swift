import TidelogCore
import TidelogSync

/// The rules that must hold at all times, and the rules that must hold at the end.
extension SimulatedClient {
    /// Checks that the app reads the rows that it wrote, until a response replaces them.
    func checkWritten() async throws {
        for (reference, row) in written {
            let visible = try await store.record(reference.model, id: reference.id)
            guard visible == row else {
                throw SimulationFailure(
                    "client \(number) does not read its own write of \(reference.text): "
                        + "\(visible.text) instead of \(row.text)")
            }
        }
    }

    /// Checks that a device creates a record if it knows that the record is deleted, and does not update it.
    ///
    /// The check uses the device's own state and not the server's version of the deletion. A restored server can give the
    /// deletion the number of a version that the device knows and in which the record still exists.
    func checkMarks(_ marks: [Int: SentMark], _ pending: PendingChanges) async throws {
        for mark in marks.values where mark.kind == .update && mark.attempt == 1 {
            guard let reference = pending.reference(at: mark.first) else { continue }
            let state = try await serverState(of: reference)
            // A base version shows that the deletion came after the change was made.
            if let state, state.isDeleted, state.baseVersion == nil {
                throw report(
                    "client \(number) updates a record that it knew to be deleted: \(reference.text)")
            }
        }
    }

    /// The latest version of a record at the server, as far as the device knows; `nil` if it knows none.
    func knownVersion(of reference: RecordReference) async throws -> UInt64? {
        try await serverState(of: reference)?.version
    }

    /// Checks that a change counts as accepted only if the server wrote it or a conflict was resolved in another way.
    func checkAnswer(_ answer: Outbox.Answer) throws {
        guard case .taken(let record) = answer.outcome, simulation.server.restoreCount == 0 else { return }
        let id = answer.mutation.sentID
        let isDone = SyncConflict.isDone(answer.mutation, by: record)
        // After a conflict, a mutation with another content has the same id. The server may have written any of these tries.
        // Another copy of this store may have sent it, too.
        let isWritten = simulation.server.writtenContents(id).contains {
            tries[id, default: []].contains($0) || simulation.replacementCount > 0 && $0 == answer.mutation.content
        }
        guard isWritten || yielded.contains(answer.mutation.id) || isDone else {
            throw report(
                "client \(number) counts a change as taken that the server has not: \(answer.mutation.text)")
        }
    }
}

extension SimulatedClient {
    /// The records with visible rows. They are only read for a server without versions.
    func visibleRecords() async throws -> Set<RecordReference> {
        guard simulation.stampServer != nil else { return [] }
        var references: Set<RecordReference> = []
        for name in simulation.server.models.names {
            for row in try await store.fetch(Record.all(of: name)) {
                if let reference = simulation.server.models[name]?.reference(of: row) { references.insert(reference) }
            }
        }
        return references
    }

    /// Checks that the records that left the store since then were missing, hidden or out of the device's scope at the server.
    func checkRemovals(since before: Set<RecordReference>) async throws {
        guard let server = simulation.stampServer, !before.isEmpty else { return }
        let removed = before.subtracting(try await visibleRecords())
        // If all devices were offline for days, an answer may be as old.
        let start = simulation.trace.counts["absence"] == nil ? simulation.now - 60_000 : 0
        for reference in removed where !server.wasMissing(reference, minimumRating, since: start) {
            throw report("client \(number) removes \(reference.text), which the server has")
        }
    }
}

extension SimulatedClient {
    /// Checks that a device has no conflict with its own changes alone.
    ///
    /// A mutation that the server refused does not count. An earlier request with the same mutation can still be in the
    /// network, and the server can write it after the device has read the refusal.
    func checkConflict(_ conflict: SyncConflict) throws {
        // A restored server cannot recognise its own mutations, and neither can a server that forgot their ids or never kept
        // them.
        guard simulation.server.knowsIDs, simulation.server.restoreCount == 0, simulation.trace.counts["absence"] == nil
        else { return }
        // A copy of a store has the same incarnation, so its changes are not the device's own.
        guard simulation.replacementCount == 0 else { return }
        // A record that left the device's scope is not on the device any more, and may be created again.
        guard minimumRating == nil else { return }
        let first = (conflict.local.baseVersion ?? 0) + 1
        guard first <= conflict.remote.version else { return }
        let writers = (first...conflict.remote.version).map {
            simulation.server.writer(of: conflict.remote.reference, $0)
        }
        let isItself = writers.allSatisfy { id in
            guard let id else { return false }
            return id.incarnation == conflict.local.id.incarnation && !refused.contains(id)
        }
        if isItself {
            throw report("client \(number) has a conflict with itself: \(conflict.local.text)")
        }
    }
}

extension Simulation {
    /// Checks that every device has the records of the server, and that no change is pending.
    func check() async throws {
        let live = try await server.liveRecords()
        for client in clients {
            try await client.checkObserver()
            guard client.calls.isEmpty else {
                throw SimulationFailure("a call of client \(client.number) never ends")
            }
            guard let outbox = client.outbox, outbox.isEmpty else {
                throw SimulationFailure("client \(client.number) has pending changes: \(client.summary)")
            }
            var local: [RecordReference: Record] = [:]
            for name in server.models.names {
                for row in try await client.store.fetch(Record.all(of: name)) {
                    if let reference = server.models[name]?.reference(of: row) { local[reference] = row }
                }
            }
            let expected = live.filter { client.syncStore.includes($0.value) }
            for reference in Set(expected.keys).union(local.keys).sorted(by: { $0.text < $1.text }) {
                let (here, there) = (local[reference], expected[reference])
                trace.note(now, client.number, "row", "\(reference.text) \(there.text)")
                guard here == there else {
                    throw SimulationFailure(
                        "client \(client.number) differs in \(reference.text): \(here.text) instead of \(there.text)")
                }
            }
            guard try await client.syncStore.setAside().isEmpty || plan.planted != nil else {
                throw SimulationFailure("client \(client.number) still has set-aside changes")
            }
        }
    }
}

extension Record? {
    /// The row as a text that is the same in every process.
    var text: String {
        guard let self else { return "nothing" }
        return "{"
            + self.values.sorted { $0.key < $1.key }.map { "\($0.key): \(FieldValue?.some($0.value).text)" }
            .joined(separator: ", ") + "}"
    }
}
