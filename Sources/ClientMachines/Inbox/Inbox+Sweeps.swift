internal import TidelogSchema

/// Removes the records that a query for all records did not see, and ends queries.
extension Inbox {
    /// Removes the records that no page of the query had.
    mutating func sweep(_ name: String, at now: Int64) -> [Action] {
        guard var state = models[name], let startedAt = state.progress?.startedAt, let run = state.run else {
            return []
        }
        assert(run.isBase && run.nextToken == nil, "records are removed after the last page of a base query")
        let seen = Set(state.seen.joined())
        var notes = forgotten(name, &state)
        if !run.isDigest {
            let sync = lastSync(of: state, run, startedAt, at: now)
            (state.lastSync, notes[NoteName.lastSync(name)]) = (sync, sync.encoded)
        }
        state.phase = .sweeping
        models[name] = state
        // A list may overlook any record, so the server is asked for each one that no page had.
        guard options.hasVersions else { return [.sweep(.doubting(name, run.number, seen: seen, notes: notes))] }
        // Each query of an exact server sees every change that was made before it.
        return [
            .sweep(
                Sweep(
                    model: name, query: run.number, startedAt: startedAt,
                    certainBefore: isServerExact ? startedAt : startedAt - options.staleness,
                    receivedThrough: isServerExact ? SequenceNumber(.max) : run.receivedThrough, seen: seen,
                    notes: notes))
        ]
    }

    /// Asks for the records whose stamps differ, after a digest that does not tell which records are missing.
    mutating func askForDiffering(_ name: String) -> [Action] {
        guard let run = models[name]?.run else { return [] }
        assert(run.isDigest, "only a digest finds stamps that differ")
        models[name]?.phase = .sweeping
        return [.sweep(.doubting(name, run.number, seen: nil, notes: [:]))]
    }

    /// Tells the inbox that the records that no page had are removed.
    ///
    /// - Parameter inDoubt: The records about which the server must be asked first. If there are any, the notes of the query
    ///   are not in the log yet, so that a killed device asks again.
    package mutating func swept(
        _ sweep: Sweep, inDoubt: [RecordReference], of knownCount: Int = 0, at now: Int64
    ) -> [Action] {
        guard var state = models[sweep.model], case .sweeping = state.phase, var run = state.run,
            run.number == sweep.query
        else { return [] }
        let differing = run.differing
        guard !inDoubt.isEmpty || !differing.isEmpty else { return finish(sweep.model, at: now) }
        if !options.hasVersions, inDoubt.count > Self.lossLimit, inDoubt.count > knownCount / 2, !state.hasSeenLoss {
            return doubtLoss(of: inDoubt.count, among: knownCount, sweep.model, at: now)
        }
        run.differing = []
        (state.phase, state.run) = (.deciding(sweep, left: inDoubt.count + differing.count), run)
        models[sweep.model] = state
        for reference in inDoubt { questions.add(reference, forSweep: true, due: now) }
        for hint in differing { questions.add(hint.reference, forSweep: true, version: hint.version, due: now) }
        return work(at: now)
    }

    /// The number of missing records up to which they are removed without a second query.
    private static let lossLimit = 20
    /// The time in milliseconds until the second query.
    private static let lossWait: Int64 = 5_000

    /// Handles that most of a model's records are missing in a list. A second query for all records decides about them.
    private mutating func doubtLoss(of count: Int, among knownCount: Int, _ name: String, at now: Int64) -> [Action] {
        guard var state = models[name] else { return [] }
        (state.hasSeenLoss, state.mustBeBase, state.lastSync) = (true, true, nil)
        (state.phase, state.run, state.wanted) = (.idle, nil, now + Self.lossWait)
        state.hasPassed = true
        models[name] = state
        let message = "\(name): \(count) of \(knownCount) records are missing; the server is asked again"
        return [.report(.badAnswer(message))] + work(at: now)
    }

    /// Continues after the answer about a record that no page of the query had. The last one ends the query.
    mutating func decided(_ name: String, isOpen: Bool, at now: Int64) -> [Action] {
        guard var state = models[name], case .deciding(var sweep, let left) = state.phase else { return [] }
        assert(left > 0, "each record in doubt is answered once")
        if isOpen { state.run?.hasOpenQuestion = true }
        state.phase = .deciding(sweep, left: left - 1)
        guard left == 1 else {
            models[name] = state
            return []
        }
        if state.run?.hasOpenQuestion ?? false {
            // The next query must be a base query again.
            sweep.notes[NoteName.lastSync(name)] = nil
            state.lastSync = nil
        }
        (sweep.seen, state.phase) = (nil, .sweeping)
        models[name] = state
        return [.sweep(sweep)]
    }

    mutating func finish(_ name: String, at now: Int64) -> [Action] {
        guard var state = models[name], let run = state.run else { return [] }
        assert(run.firstNumber > 0 || run.isResumed, "a query ends after it has begun")
        let isFirst = !state.isSynced
        state.phase = .idle
        state.run = nil
        state.isSynced = true
        state.hasPassed = true
        state.hasSeenLoss = false
        state.isComplete = (run.listsAll || !run.isBase && run.unusableCount == 0) && !run.hasOpenQuestion
        (state.restartCount, state.queriedAt) = (0, now)
        state.quietCount = isFirst || run.newCount > 0 ? 0 : state.quietCount + 1
        if wantsSubscriptions, state.subscription != .established {
            let end = now + interval(after: state.quietCount)
            state.intervalEnd = min(state.intervalEnd ?? end, end)
            conditionCount += 1
        }
        // An interrupted query may lack changes. The next query brings them.
        if !run.isResumed { state.metRefresh = run.refresh }
        if run.isResumed, !run.isTruncated, !run.isDigest { state.wanted = min(state.wanted ?? now, now) }
        models[name] = state
        let report = Report.modelSynced(name, isBase: run.isBase && !run.isDigest, isTruncated: run.isTruncated)
        return [.report(report)] + work(at: now)
    }
}

extension Inbox.Sweep {
    /// The sweep of a model whose server has no versions: every record that is not in `seen` is in doubt.
    fileprivate static func doubting(
        _ model: String, _ query: UInt64, seen: Set<UInt64>?, notes: [String: [UInt8]?]
    ) -> Self {
        Self(
            model: model, query: query, startedAt: .max, certainBefore: .min, receivedThrough: .zero, seen: seen,
            notes: notes)
    }
}
