package import TidelogCore

/// Decides which events are appended for a record of the server. It is a pure function: a write closure calls it with the data
/// that the transaction sees.
package struct Reconciler: Sendable {
    /// The way in which the record arrived.
    package enum Source: Sendable, Hashable {
        /// A subscription or a delta query.
        case push
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
        /// Whether changes are pending that the server's record does not answer, or a set-aside change is in the row.
        package var holdsRow: Bool
        /// The server's latest record, if it came while changes were pending.
        package var shadow: ServerRecord?
        /// The server's row in the known state, from the store; `nil` if there is none or it is not known.
        package var serverRow: Record?

        package init(
            known: ServerState?, row: Record?, holdsRow: Bool, shadow: ServerRecord? = nil, serverRow: Record?
        ) {
            (self.known, self.row, self.holdsRow, self.shadow) = (known, row, holdsRow, shadow)
            self.serverRow = serverRow
        }
    }

    /// The outcome for a record.
    package struct Result: Sendable, Hashable {
        /// The events to append, in this order.
        package var events: [Event] = []
        /// Whether the server has an older state than before. It was restored from a backup, so a base query is needed.
        package var serverWentBack = false
    }

    private let fault: PlantedFault?

    package init(fault: PlantedFault? = nil) { self.fault = fault }

    /// The events that are appended for `record`.
    ///
    /// - Parameter isInScope: Whether the sync expression of the model includes a row.
    package func reconcile(
        _ record: ServerRecord, from source: Source, _ standing: Standing, isInScope: (Record) -> Bool
    ) -> Result {
        var result = Result()
        if source == .response {
            result.serverWentBack = standing.known.map { Self.isBack(record, $0) } ?? false
            result.events = response(record, standing, isInScope)
            return result
        }
        if let known = standing.known, fault != .oldVersionTaken {
            switch source {
            case .baseQuery(let startedAt):
                if known.version == record.version && known.lastChangedAt == record.lastChangedAt {
                    // If the app declares more fields than before, the same version has another row.
                    if standing.serverRow == record.row { return result }
                } else if (known.version ?? 0) >= record.version && known.lastChangedAt >= startedAt {
                    // The pages of the query may lack a change that was made after the query began.
                    return result
                }
            case .push, .response:
                guard record.version > known.version ?? 0 else {
                    result.serverWentBack = Self.isBack(record, known)
                    return result
                }
            }
        }
        result.events = pushed(record, standing, isInScope)
        return result
    }

    /// Whether `record` is a later state whose version is not higher.
    private static func isBack(_ record: ServerRecord, _ known: ServerState) -> Bool {
        record.version <= known.version ?? 0 && record.lastChangedAt > known.lastChangedAt
    }

    private func pushed(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        if standing.holdsRow, fault != .pushNotShadowed {
            // Base version 0 means that the oldest pending change created the record.
            let base = standing.known.map { $0.baseVersion ?? $0.version ?? 0 } ?? 0
            return [Self.event(record, record.state(base: base), isShadowed: true)]
        }
        return visible(record, standing, isInScope)
    }

    private func response(_ record: ServerRecord, _ standing: Standing, _ isInScope: (Record) -> Bool) -> [Event] {
        let latest = standing.shadow.flatMap { Self.isNewer($0, record) ? $0 : nil } ?? record
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
