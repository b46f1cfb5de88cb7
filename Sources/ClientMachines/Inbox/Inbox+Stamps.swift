internal import TidelogSchema

/// Chooses the queries of a server without versions: all records, the stamps of all records, or the changes since a time and
/// then the keys of all records.
extension Inbox {
    /// The query for a model whose server has no versions: the changes since a time, the stamps of all records, or all records.
    func stampedRun(_ state: ModelState, _ lastSync: Int64?) -> Run {
        guard lastSync != nil else { return Run(isBase: true, lastSync: nil) }
        if let since = state.lastSync?.changesSince, hasPartitions(state) {
            var run = Run(isBase: false, lastSync: since)
            run.usesIndex = true
            return run
        }
        return Self.digest
    }

    /// Whether the store has each record whose key is a partition of the model's index.
    private func hasPartitions(_ state: ModelState) -> Bool {
        guard let index = state.index else { return false }
        return index.parents.allSatisfy { name in
            guard let parent = models[name], case .idle = parent.phase else { return false }
            return parent.isSynced && parent.isComplete
        }
    }

    /// A query for the stamps of all records.
    private static let digest = {
        var run = Run(isBase: true, lastSync: nil)
        run.content = .stamps
        return run
    }()

    /// Lists the keys of all records after their changes. A deleted record is not in the index any more, so its key is missing.
    mutating func listKeys(_ name: String, _ run: Run, at now: Int64) -> [Action] {
        assert(run.usesIndex && !run.isBase, "the keys follow the changes")
        var keys = Run(isBase: true, lastSync: nil)
        (keys.content, keys.usesIndex) = (.keys, true)
        return replace(name, run, by: keys, at: now)
    }

    /// Lists the stamps of all records, because the model has no index by time.
    mutating func digest(_ name: String, insteadOf run: Run, at now: Int64) -> [Action] {
        replace(name, run, by: Self.digest, at: now)
    }

    /// Continues the query of a model in another way.
    private mutating func replace(_ name: String, _ run: Run, by other: Run, at now: Int64) -> [Action] {
        guard var state = models[name] else { return [] }
        var next = other
        (next.refresh, next.receivedThrough, next.newCount) = (run.refresh, run.receivedThrough, run.newCount)
        next.isResumed = run.isResumed
        // The next query asks for all records if this one could not read one of them.
        next.hasOpenQuestion = run.unusableCount > 0
        (state.progress, state.seen) = (nil, [])
        state.run = next
        models[name] = state
        return ask(name, at: now)
    }

    /// The note that a sync is complete.
    func lastSync(of state: ModelState, _ run: Run, _ startedAt: Int64, at now: Int64) -> LastSync {
        guard !options.hasVersions else {
            return LastSync(
                startedAt: startedAt, notedAt: now + clockOffset, expression: state.expression,
                changesSince: changesSince(startedAt))
        }
        // The server does not tell its time. The latest change in the pages was made before their last one, and a page may lack
        // a change that was made after the first one. A device's clock may be wrong, so it only makes the time earlier.
        let present = now + clockOffset
        let elapsed = max(0, present - startedAt)
        let since = run.latest.map { max(0, min($0, present) - elapsed - options.staleness) }
        // Only a query for all records shows changes without a new time, so its age counts.
        guard var last = state.lastSync, !run.isBase else {
            return LastSync(
                startedAt: startedAt, notedAt: startedAt, expression: state.expression, changesSince: since)
        }
        last.changesSince = max(last.changesSince ?? 0, since ?? 0)
        return last
    }
}
