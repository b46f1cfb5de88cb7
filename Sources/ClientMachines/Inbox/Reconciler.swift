package import TidelogSchema

/// Decides which events are appended for a record of the server. It is a pure function: a write closure calls it with the data
/// that the transaction sees.
package struct Reconciler: Sendable {
    /// The way in which the record arrived.
    package enum Source: Sendable, Hashable {
        /// A subscription. The record may lack values that its writer did not select.
        case push
        /// A delta query. The record is whole.
        case query
        /// Requests for single records, which are whole. For the confirmed ones, the server was asked twice, because its first
        /// answer was older than expected.
        case records(confirmed: Set<RecordReference>)
        /// A base query. Its first page was made at this time by the server's clock.
        case baseQuery(startedAt: Int64)
        /// A response to a mutation that the outbox sent.
        case response
    }

    /// An event to append.
    package enum Event: Sendable, Hashable {
        /// The server's row and state.
        case received(Record, ServerState, isShadowed: Bool)
        /// The record is deleted on the server.
        case receivedDeletion(ServerState, isShadowed: Bool)
        /// The row in the store is already equal to the server's.
        case acknowledged(ServerState)
        /// The record is not in the scope any more.
        case leftScope
    }

    /// The store's data of the record.
    package struct Standing: Sendable {
        /// The server's latest state of the record.
        package var known: ServerState?
        /// The row that reads see.
        package var row: Record?
        /// Whether the record's row as it arrived is the row that reads see, and every row is in the scope. `row` is then not
        /// needed.
        package var repeatsRow = false
        /// Whether changes are pending that the server's record does not answer, or a set-aside change is in the row.
        package var holdsRow: Bool
        /// The server's latest record, if it came while changes were pending.
        package var shadow: ServerRecord?
        /// The server's row in the known state, from the store; `nil` if there is none or it is not known.
        package var serverRow: Record?
        /// The row that the server has after a mutation if only the mutation has changed it; `nil` if it is not known.
        package var mutatedRow: Record?
        /// The version that an answered mutation started from; `nil` for none.
        package var mutatedVersion: UInt64?
        /// The record's model; `nil` if it is not known, so that nulls are taken as they are.
        package var model: SyncModels.Model?

        package init(
            known: ServerState?, row: Record?, holdsRow: Bool, shadow: ServerRecord? = nil, serverRow: Record?
        ) {
            self.known = known
            self.row = row
            self.holdsRow = holdsRow
            self.shadow = shadow
            self.serverRow = serverRow
        }
    }

    /// The outcome for a record.
    package struct Result: Sendable, Hashable {
        /// The events to append, in this order.
        package var events: [Event] = []
        /// Whether the server has an older state than before. It was restored from a backup, so a base query is needed.
        package var serverWentBack = false
        /// The server's record with the values that it did not show, as far as the store has them.
        package var record: ServerRecord
        /// Whether the record may still lack values or be out of date, so that the server must be asked for it.
        package var isInDoubt = false

        init(_ record: ServerRecord) { self.record = record }
    }

    /// Whether the server's records have versions. Otherwise a stamp tells the states of a record apart.
    private let hasVersions: Bool

    package init(hasVersions: Bool = true) { self.hasVersions = hasVersions }

    /// The events that are appended for `record`.
    ///
    /// - Parameter isInScope: Whether the sync expression of the model includes a row.
    package func reconcile(
        _ record: ServerRecord, from source: Source, _ standing: Standing, isInScope: (Record) -> Bool
    ) -> Result {
        guard hasVersions else { return reconcileStamped(record, from: source, standing, isInScope: isInScope) }
        var result = Result(record)
        if source == .response {
            if !standing.repeatsRow { result.record.decode() }
            result.serverWentBack = standing.known.map { Self.isBack(record, $0) } ?? false
            complete(&result, from: standing.mutatedRow, version: standing.mutatedVersion, isPush: false, standing)
            result.events = response(result.record, standing, isInScope)
            assert(!result.events.isEmpty, "an answer is always noted")
            assert(!standing.holdsRow || result.events.allSatisfy(\.keepsRow), "a later change stays visible")
            return result
        }
        if let known = standing.known {
            let isSame = known.version == record.version && known.lastChangedAt == record.lastChangedAt
            switch source {
            case .baseQuery where isSame, .query where isSame, .records where isSame:
                // If the app declares more fields than before, or if a push lacked values, the same version has another row.
                guard standing.serverRow == record.row else { break }
                result.events = unchanged(record, standing, isInScope)
                return result
            case .baseQuery(let startedAt):
                // The pages of the query may lack a change that was made after the query began.
                if (known.version ?? 0) >= record.version && known.lastChangedAt >= startedAt { return result }
            case .push, .query, .records, .response:
                guard record.version > known.version ?? 0 else {
                    result.serverWentBack = Self.isBack(record, known)
                    return result
                }
            }
        }
        result.record.decode()
        if source == .push {
            complete(&result, from: standing.serverRow, version: standing.known?.version, isPush: true, standing)
        }
        result.events = pushed(result.record, standing, isInScope)
        assert(!standing.holdsRow || result.events.allSatisfy(\.keepsRow), "a pending change stays visible")
        return result
    }

    /// The events for a record that the store has in the same state.
    func unchanged(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        // A record in doubt is asked for without the sync expression.
        let isVisible = !standing.holdsRow && standing.row != nil
        return isVisible && record.row.map { !isInScope($0) } ?? false ? [.leftScope] : []
    }

    /// Completes the record of a push or a response from the row that had `version`.
    private func complete(
        _ result: inout Result, from former: Record?, version: UInt64?, isPush: Bool, _ standing: Standing
    ) {
        guard let model = standing.model else { return }
        let followsFormer = result.record.version == (version ?? 0) + 1
        result.isInDoubt = result.record.complete(
            from: former, followsFormer: followsFormer, isPush: isPush, model)
    }

    /// Whether `record` is a later state whose version is not higher.
    private static func isBack(_ record: ServerRecord, _ known: ServerState) -> Bool {
        record.version <= known.version ?? 0 && record.lastChangedAt > known.lastChangedAt
    }

    func pushed(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        if standing.holdsRow {
            // Base version 0 means that the oldest pending change created the record.
            let base = standing.known.map { $0.baseVersion ?? $0.version ?? 0 } ?? 0
            return [Self.event(record, record.state(base: base), isShadowed: true)]
        }
        return visible(record, standing, isInScope)
    }

    func response(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        let latest = standing.shadow.flatMap { Self.isNewer($0, record) || $0.isEnd(of: record) ? $0 : nil } ?? record
        guard standing.holdsRow else {
            let events = visible(latest, standing, isInScope)
            // The answer needs its own event, because leaving the scope does not answer the mutation.
            return events.contains(.leftScope) || events.isEmpty ? [.acknowledged(latest.state())] + events : events
        }
        // The next change continues from the answered version, even if the server has a later one by now.
        let state = latest.state(base: latest == record ? nil : record.version)
        return [Self.event(latest, state, isShadowed: true)]
    }

    private static func isNewer(_ shadow: ServerRecord, _ record: ServerRecord) -> Bool {
        shadow.version > record.version && shadow.lastChangedAt >= record.lastChangedAt
    }

    private func visible(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        if standing.repeatsRow { return [.acknowledged(record.state())] }
        guard record.row.map(isInScope) ?? true else {
            return standing.row == nil && standing.known == nil ? [] : [.leftScope]
        }
        if record.row == standing.row { return [.acknowledged(record.state())] }
        return [Self.event(record, record.state(), isShadowed: false)]
    }

    private static func event(_ record: ServerRecord, _ state: ServerState, isShadowed: Bool) -> Event {
        guard let row = record.row else { return .receivedDeletion(state, isShadowed: isShadowed) }
        return .received(row, state, isShadowed: isShadowed)
    }
}

extension Reconciler.Event {
    /// Whether the event leaves the visible row as it is.
    fileprivate var keepsRow: Bool {
        switch self {
        case .received(_, _, let isShadowed), .receivedDeletion(_, let isShadowed): isShadowed
        case .acknowledged: true
        case .leftScope: false
        }
    }
}
