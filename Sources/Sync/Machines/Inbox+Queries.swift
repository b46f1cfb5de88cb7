/// Handles base and delta queries.
extension Inbox {
    /// Starts queries. The first queries of the models run one after the other, parents first. Later queries run when they are
    /// due.
    mutating func queries(at now: Int64) -> [InboxAction] {
        var actions: [InboxAction] = []
        if !hasReportedQueries {
            hasReportedQueries = true
            actions.append(.report(.queriesStarted(names)))
        }
        for name in names {
            guard let state = models[name] else { continue }
            switch state.phase {
            // If the query came before the subscription, the changes in between would be missed.
            case .idle:
                if let wanted = state.wanted, wanted <= now, state.isSubscribed { actions += begin(name, at: now) }
            case .waiting(let until): if until <= now { actions += ask(name, at: now) }
            case .appending, .sweeping, .refused, .asked: break
            }
            if !(models[name]?.isSynced ?? true), !hasReportedReady { break }
        }
        if !hasReportedReady, names.allSatisfy({ models[$0]?.isSynced ?? true }) {
            hasReportedReady = true
            actions.append(.report(.queriesReady))
        }
        return actions
    }

    private mutating func begin(_ name: String, at now: Int64) -> [InboxAction] {
        guard var state = models[name] else { return [] }
        state.wanted = nil
        var lastSync = state.lastSync?.startedAt
        // The age is measured by this device's clock, because the noted time comes from it, and the server's clock may differ.
        if let last = state.lastSync {
            let age = now + clockOffset - last.notedAt
            if last.expression != state.expression || age < 0 || age >= options.syncInterval { lastSync = nil }
        }
        if state.mustBeBase {
            (lastSync, state.progress, state.seen) = (nil, nil, [])
            state.mustBeBase = false
        }
        // An interrupted base query continues, unless a later sync is complete.
        if lastSync != nil { (state.progress, state.seen) = (nil, []) }
        var run = Run(isBase: lastSync == nil, lastSync: lastSync)
        run.refresh = refreshCount
        if let progress = state.progress {
            (run.startedAt, run.nextToken) = (progress.startedAt, progress.nextToken)
            run.unusableCount = progress.hasGaps ? 1 : 0
            run.isResumed = true
            if progress.nextToken == nil {
                state.run = run
                models[name] = state
                return sweep(name, at: now)
            }
        }
        state.run = run
        models[name] = state
        return ask(name, at: now)
    }

    private mutating func ask(_ name: String, at now: Int64) -> [InboxAction] {
        guard var state = models[name], var run = state.run else { return [] }
        queryCount += 1
        run.number = queryCount
        var limit = options.pageSize
        if run.isBase { limit = min(limit, options.maximumRecords - Int(state.progress?.recordCount ?? 0)) }
        let query = SyncQuery(
            model: name, number: queryCount, lastSync: run.lastSync, nextToken: run.nextToken, limit: max(limit, 1))
        state.phase = .asked(query, deadline: now + options.timeLimit)
        state.run = run
        models[name] = state
        return [.query(query)]
    }

    /// Handles the server's answer to a query.
    package mutating func pageReceived(
        _ response: QueryResponse, to query: SyncQuery, at now: Int64, jitter: UInt64
    ) -> [InboxAction] {
        guard var state = models[query.model], case .asked(let asked, _) = state.phase, asked == query,
            var run = state.run
        else { return [] }
        switch response {
        case .failed(let retryAfter): fail(query.model, retryAfter: retryAfter, at: now, jitter: jitter)
        case .unauthenticated:
            state.phase = .waiting(until: now)
            models[query.model] = state
            let isNew = hasSession
            hasSession = false
            return isNew ? [.refreshSession] : []
        case .refused(let errorType, let message):
            (state.phase, state.run, state.wanted, state.isSynced) = (.refused, nil, nil, true)
            models[query.model] = state
            let report = InboxReport.modelRefused(query.model, errorType: errorType, message: message)
            return [.report(report)] + work(at: now)
        case .tokenRefused:
            run.refusedTokens += 1
            // The server forgot the token. If it refuses the tokens of new queries too, these queries wait.
            let isForgotten = run.refusedTokens <= 2
            return restart(
                query.model, run, asBase: run.refusedTokens > 1, atOnce: isForgotten, at: now, jitter: jitter)
        case .page(let page):
            if let next = page.nextToken {
                run.tokens[next, default: 0] += 1
                if run.tokens[next] == 3 {
                    let report = InboxAction.report(.badAnswer("\(query.model): the server repeats a token"))
                    return [report]
                        + restart(
                            query.model, run, asBase: false, atOnce: false, at: now, jitter: jitter)
                }
            }
            state.failures = 0
            models[query.model] = state
            return take(page, query, run, at: now)
        }
        return work(at: now)
    }

    private mutating func restart(
        _ name: String, _ run: Run, asBase: Bool, atOnce: Bool, at now: Int64, jitter: UInt64
    ) -> [InboxAction] {
        guard var state = models[name] else { return [] }
        (state.progress, state.seen) = (nil, [])
        var next = Run(isBase: run.isBase || asBase, lastSync: asBase ? nil : run.lastSync)
        (next.refusedTokens, next.refresh) = (run.refusedTokens, run.refresh)
        state.run = next
        state.failures += 1
        let wait = atOnce ? 0 : options.backoff.wait(after: state.failures, jitter: jitter)
        state.phase = .waiting(until: now + wait)
        models[name] = state
        return work(at: now)
    }

    private mutating func take(_ page: SyncPage, _ query: SyncQuery, _ run: Run, at now: Int64) -> [InboxAction] {
        guard var state = models[query.model] else { return [] }
        var run = run
        if let last = run.lastSync, run.startedAt == nil,
            page.startedAt < last || page.startedAt - last >= options.syncInterval
        {
            // By the server's clock, the last sync is too old or in the future. The server may have forgotten deletions since
            // then.
            state.mustBeBase = true
            (state.phase, state.run, state.wanted) = (.idle, nil, now)
            models[query.model] = state
            return work(at: now)
        }
        let startedAt = run.startedAt ?? page.startedAt
        run.startedAt = startedAt
        run.nextToken = page.nextToken
        if options.fault != .unusableHidden { run.unusableCount += page.unusableCount }
        var actions: [InboxAction] = []
        if page.unusableCount > 0 {
            actions.append(.report(.badAnswer("\(query.model): \(page.unusableCount) records are unusable")))
        }
        var notes: [String: [UInt8]?] = [:]
        if run.isBase {
            notes = basePage(page, startedAt, query.model, &state, &run)
        } else if page.nextToken == nil, run.unusableCount == 0 {
            notes = done(query.model, &state, startedAt, at: now)
        }
        if options.fault == .lastSyncTooEarly { notes.merge(done(query.model, &state, startedAt, at: now)) { $1 } }
        let append = PageAppend(
            model: query.model, query: run.number, records: page.records,
            baseStartedAt: run.isBase ? startedAt : nil, notes: notes)
        (state.run, state.phase) = (run, .appending)
        models[query.model] = state
        // The server makes the next page while this page is appended. Its answer is handled after the append.
        if run.nextToken != nil, !run.isTruncated { actions += ask(query.model, at: now) }
        return actions + [.append(append)]
    }

    /// The notes that record the progress of a base query after a page.
    private func basePage(
        _ page: SyncPage, _ startedAt: Int64, _ name: String, _ state: inout ModelState, _ run: inout Run
    ) -> [String: [UInt8]?] {
        var progress =
            state.progress
            ?? BaseProgress(
                startedAt: startedAt, nextToken: nil, recordCount: 0, pageCount: 0, expression: state.expression)
        let hashes = page.records.map(\.reference.stableHash)
        let number = progress.pageCount
        progress.recordCount += UInt64(page.records.count + page.unusableCount)
        progress.pageCount += 1
        progress.nextToken = page.nextToken
        progress.hasGaps = run.unusableCount > 0
        state.seen.append(hashes)
        state.progress = progress
        run.isTruncated = page.nextToken != nil && progress.recordCount >= UInt64(options.maximumRecords)
        // A query that ends early or lacks a record removes nothing and does not count as a last sync.
        if run.isTruncated || page.nextToken == nil && progress.hasGaps { return forgotten(name, &state) }
        return [
            NoteName.progress(name): progress.encoded,
            NoteName.seen(name, page: number): SeenRecords(hashes: hashes).encoded,
        ]
    }

    /// Records in notes that a sync is complete.
    private func done(
        _ name: String, _ state: inout ModelState, _ startedAt: Int64, at now: Int64
    ) -> [String: [UInt8]?] {
        let sync = LastSync(startedAt: startedAt, notedAt: now + clockOffset, expression: state.expression)
        state.lastSync = sync
        return [NoteName.lastSync(name): sync.encoded]
    }

    /// Removes the notes of a base query.
    private func forgotten(_ name: String, _ state: inout ModelState) -> [String: [UInt8]?] {
        var notes: [String: [UInt8]?] = [:]
        notes.updateValue(nil, forKey: NoteName.progress(name))
        for page in 0..<(state.progress?.pageCount ?? 0) {
            notes.updateValue(nil, forKey: NoteName.seen(name, page: page))
        }
        (state.progress, state.seen) = (nil, [])
        return notes
    }

    /// Tells the inbox that a page is in the log.
    package mutating func appended(_ page: PageAppend, at now: Int64) -> [InboxAction] {
        guard let state = models[page.model], case .appending = state.phase, let run = state.run,
            run.number == page.query
        else { return [] }
        guard run.isBase, !run.isTruncated, run.unusableCount == 0 else { return finish(page.model, at: now) }
        return sweep(page.model, at: now)
    }

    private mutating func sweep(_ name: String, at now: Int64) -> [InboxAction] {
        guard var state = models[name], let startedAt = state.progress?.startedAt, let run = state.run else {
            return []
        }
        let seen = options.fault == .nothingSwept ? nil : Set(state.seen.joined())
        let notes = forgotten(name, &state).merging(done(name, &state, startedAt, at: now)) { $1 }
        state.phase = .sweeping
        models[name] = state
        return [.sweep(Sweep(model: name, query: run.number, startedAt: startedAt, seen: seen, notes: notes))]
    }

    /// Tells the inbox that the records that no page had are removed.
    package mutating func swept(_ sweep: Sweep, at now: Int64) -> [InboxAction] {
        guard let state = models[sweep.model], case .sweeping = state.phase, state.run?.number == sweep.query else {
            return []
        }
        return finish(sweep.model, at: now)
    }

    private mutating func finish(_ name: String, at now: Int64) -> [InboxAction] {
        guard var state = models[name], let run = state.run else { return [] }
        (state.phase, state.run, state.isSynced) = (.idle, nil, true)
        // An interrupted query may lack changes. The next query brings them.
        if !run.isResumed { state.metRefresh = run.refresh }
        if run.isResumed, !run.isTruncated { state.wanted = min(state.wanted ?? now, now) }
        models[name] = state
        let report = InboxReport.modelSynced(name, isBase: run.isBase, isTruncated: run.isTruncated)
        return [.report(report)] + work(at: now)
    }

    /// Handles a query without an answer. The query is repeated after a wait.
    mutating func fail(_ name: String, retryAfter: Int64?, at now: Int64, jitter: UInt64) {
        guard var state = models[name] else { return }
        state.failures += 1
        let wait = options.backoff.wait(after: state.failures, jitter: jitter)
        state.phase = .waiting(until: now + max(wait, min(retryAfter ?? 0, options.backoff.maximum)))
        models[name] = state
    }
}
