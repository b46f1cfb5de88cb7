internal import TidelogSchema

/// Handles base and delta queries.
extension Inbox {
    /// The number of different stamps up to which the server is asked for each record.
    private static let digestLimit = 50

    /// Starts queries. The first queries of the models run one after the other, parents first, and a model that fails is passed
    /// over. Later queries run when they are due.
    mutating func queries(at now: Int64) -> [Action] {
        var actions: [Action] = []
        if !hasReportedQueries {
            hasReportedQueries = true
            actions.append(.report(.queriesStarted(names)))
        }
        for name in names {
            guard let state = models[name] else { continue }
            if let time = queryTime(of: state), time <= now {
                switch state.phase {
                case .idle: actions += begin(name, at: now)
                case .waiting: actions += ask(name, at: now)
                case .appending, .sweeping, .deciding, .refused, .asked: break
                }
            }
            if !(models[name]?.hasPassed ?? true), !hasReportedReady { break }
        }
        return actions + milestones()
    }

    /// Reports that changes may be sent, and that the first queries are done.
    private mutating func milestones() -> [Action] {
        guard !hasReportedReady, models.values.allSatisfy(\.hasPassed) else { return [] }
        var actions: [Action] = []
        // If no query was successful but the server answers, it may still take changes. An answer is needed, because it says
        // whether the server recognises the ids of mutations.
        let hasServer = models.values.contains { $0.isSynced || $0.failure?.reach == .answer }
        if !hasReportedSending, hasServer || names.isEmpty {
            hasReportedSending = true
            actions.append(.report(.maySend))
        }
        // Models that failed together with the whole server are queried again first.
        let isUnfinished = models.values.contains { !$0.isSynced && !$0.isOwnFailure }
        if !isUnfinished, models.values.contains(where: \.isSynced) || names.isEmpty {
            hasReportedReady = true
            actions.append(.report(.queriesReady))
        }
        return actions
    }

    private mutating func begin(_ name: String, at now: Int64) -> [Action] {
        guard var state = models[name] else { return [] }
        assert(state.run == nil, "a model has one query at a time")
        let report = intervalReport(state, at: now)
        (state.wanted, state.intervalEnd) = (nil, nil)
        state.isUncovered = state.subscription != .established
        var lastSync = state.lastSync?.startedAt
        // The age is measured by this device's clock, because the noted time comes from it, and the server's clock may differ.
        if let last = state.lastSync {
            let age = now + clockOffset - last.notedAt
            if last.expression != state.expression || age < 0 || age >= options.syncInterval { lastSync = nil }
        }
        if state.mustBeBase {
            lastSync = nil
            state.progress = nil
            state.seen = []
            state.mustBeBase = false
        }
        // An interrupted base query continues, unless a later sync is complete.
        if lastSync != nil { (state.progress, state.seen) = (nil, []) }
        var run = options.hasVersions ? Run(isBase: lastSync == nil, lastSync: lastSync) : stampedRun(state, lastSync)
        (run.refresh, run.receivedThrough) = (refreshCount, head)
        if let progress = state.progress {
            (run.startedAt, run.nextToken) = (progress.startedAt, progress.nextToken)
            (run.unusableCount, run.receivedThrough) = (progress.hasGaps ? 1 : 0, progress.receivedThrough)
            run.isResumed = true
            if progress.nextToken == nil {
                state.run = run
                models[name] = state
                return report + sweep(name, at: now)
            }
        }
        state.run = run
        models[name] = state
        return report + ask(name, at: now)
    }

    mutating func ask(_ name: String, at now: Int64) -> [Action] {
        guard var state = models[name], var run = state.run else { return [] }
        assert(run.nextToken == nil || run.startedAt != nil, "a later page belongs to a query with a first page")
        queryCount += 1
        run.number = queryCount
        if run.firstNumber == 0 { run.firstNumber = queryCount }
        var limit = options.pageSize
        if run.isBase { limit = min(limit, options.maximumRecords - Int(state.progress?.recordCount ?? 0)) }
        // The last query may not have seen changes that were made just before it. All pages ask for the same time.
        if run.nextToken == nil {
            run.since = run.lastSync.map { state.lastSync?.changesSince ?? changesSince($0) }
        }
        var query = Query(
            model: name, number: queryCount, lastSync: run.since, nextToken: run.nextToken, limit: max(limit, 1))
        (query.content, query.usesIndex) = (run.content, run.usesIndex)
        state.phase = .asked(query, deadline: now + options.timeLimit)
        state.askedAt = now
        state.run = run
        models[name] = state
        return [.query(query)]
    }

    /// Handles the server's answer to a query.
    package mutating func pageReceived(
        _ response: QueryResponse, to query: Query, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard var state = models[query.model], case .asked(let asked, _) = state.phase, asked == query,
            var run = state.run
        else { return [] }
        switch response {
        case .failed(let failure): return fail(query.model, failure, at: now, jitter: jitter) + work(at: now)
        case .lacksVersions:
            assertionFailure("the machine begins again with another protocol")
            return []
        case .unauthenticated:
            state.phase = .waiting(until: now)
            models[query.model] = state
            let isNew = hasSession
            hasSession = false
            return isNew ? [.refreshSession] : []
        case .refused(let errorType, let message):
            state.phase = .refused
            state.run = nil
            state.wanted = nil
            state.intervalEnd = nil
            (state.isSynced, state.hasPassed) = (true, true)
            models[query.model] = state
            succeeded(query.model, at: now)
            let report = Report.modelRefused(query.model, errorType: errorType, message: message)
            return [.report(report)] + work(at: now)
        case .lacksIndex:
            assert(run.usesIndex, "only a query over an index lacks it")
            succeeded(query.model, at: now)
            models[query.model]?.index = nil
            return digest(query.model, insteadOf: run, at: now) + work(at: now)
        case .tokenRefused:
            succeeded(query.model, at: now)
            run.refusedTokens += 1
            // The server forgot the token. If it refuses the tokens of new queries too, these queries wait.
            let isForgotten = run.refusedTokens <= 2
            return restart(
                query.model, run, asBase: run.refusedTokens > 1,
                because: isForgotten ? nil : "The server refuses the tokens of its own pages.", at: now, jitter: jitter)
        case .page(let page):
            succeeded(query.model, at: now)
            if let next = page.nextToken {
                run.tokens[next, default: 0] += 1
                if run.tokens[next] == 3 {
                    let report = Action.report(.badAnswer("\(query.model): the server repeats a token"))
                    return [report]
                        + restart(
                            query.model, run, asBase: false, because: "The server repeats a token.", at: now,
                            jitter: jitter)
                }
            }
            return take(page, query, run, at: now)
        }
    }

    /// Begins a query again.
    ///
    /// - Parameter reason: The reason why the query must wait before it begins; `nil` if it begins at once.
    private mutating func restart(
        _ name: String, _ run: Run, asBase: Bool, because reason: String?, at now: Int64, jitter: UInt64
    ) -> [Action] {
        guard var state = models[name] else { return [] }
        (state.progress, state.seen) = (nil, [])
        var next = Run(isBase: run.isBase || asBase, lastSync: asBase ? nil : run.lastSync)
        next.refusedTokens = run.refusedTokens
        next.refresh = run.refresh
        if !asBase { (next.content, next.usesIndex) = (run.content, run.usesIndex) }
        next.receivedThrough = head
        (state.run, state.phase) = (next, .waiting(until: now))
        guard let reason else {
            models[name] = state
            return work(at: now)
        }
        // The pages before the unusable answer do not make the waits shorter.
        state.restartCount += 1
        (state.failures, state.hasReportedFailure) = (state.restartCount - 1, true)
        models[name] = state
        return fail(name, QueryFailure(reason: reason, reach: .answer), at: now, jitter: jitter) + work(at: now)
    }

    private mutating func take(_ page: Page, _ query: Query, _ run: Run, at now: Int64) -> [Action] {
        guard var state = models[query.model] else { return [] }
        var run = run
        if options.hasVersions, let last = run.lastSync, run.startedAt == nil,
            page.startedAt < last || page.startedAt - last >= options.syncInterval
        {
            // By the server's clock, the last sync is too old or in the future. The server may have forgotten deletions since
            // then.
            state.mustBeBase = true
            state.phase = .idle
            state.run = nil
            state.wanted = now
            models[query.model] = state
            return work(at: now)
        }
        let startedAt = run.startedAt ?? (options.hasVersions ? page.startedAt : now + clockOffset)
        run.startedAt = startedAt
        run.nextToken = page.nextToken
        run.unusableCount += page.unusableCount
        if !options.hasVersions, let time = page.records.map({ RecordStamp.milliseconds(in: $0.version) }).max() {
            run.latest = max(run.latest ?? time, time)
        }
        var actions: [Action] = []
        if page.unusableCount > 0 {
            actions.append(.report(.badAnswer("\(query.model): \(page.unusableCount) records are unusable")))
        }
        var append = PageAppend(
            model: query.model, query: run.number, records: page.records, stamps: page.stamps,
            baseStartedAt: run.isBase ? startedAt : nil, areDistinct: page.areDistinct, notes: [:])
        if run.isBase {
            basePage(page, startedAt, &state, &run, &append)
        } else if page.nextToken == nil, run.unusableCount == 0 {
            let sync = lastSync(of: state, run, startedAt, at: now)
            (run.noted, append.notes[NoteName.lastSync(query.model)]) = (sync, sync.encoded)
        }
        (state.run, state.phase) = (run, .appending)
        models[query.model] = state
        // The server makes the next page while this page is appended. Its answer is handled after the append.
        if run.nextToken != nil, !run.isTruncated { actions += ask(query.model, at: now) }
        return actions + [.append(append)]
    }

    /// Adds the notes that record the progress of a base query after a page.
    private func basePage(
        _ page: Page, _ startedAt: Int64, _ state: inout ModelState, _ run: inout Run, _ append: inout PageAppend
    ) {
        var progress =
            state.progress
            ?? BaseProgress(
                startedAt: startedAt, nextToken: nil, recordCount: 0, pageCount: 0, expression: state.expression,
                receivedThrough: run.receivedThrough)
        assert(run.isBase && append.baseStartedAt == startedAt, "only a base query notes its progress")
        let hashes =
            run.isDigest
            ? page.stamps.map(\.reference.stableHash) : page.hashes ?? page.records.map(\.reference.stableHash)
        let number = progress.pageCount
        progress.recordCount += UInt64(hashes.count + page.unusableCount)
        progress.pageCount += 1
        progress.nextToken = page.nextToken
        progress.hasGaps = run.unusableCount > 0
        state.seen.append(hashes)
        state.progress = progress
        run.isTruncated = page.nextToken != nil && progress.recordCount >= UInt64(options.maximumRecords)
        // A query that ends early or lacks a record removes nothing and does not count as a last sync.
        let name = append.model
        if run.isTruncated || page.nextToken == nil && progress.hasGaps {
            append.notes = forgotten(name, &state)
            append.notesIfUnstorable = append.notes
            return
        }
        // A digest is short, and begins again after a kill.
        guard !run.isDigest else { return }
        let seen = SeenRecords(hashes: hashes).encoded
        append.notes = [NoteName.progress(name): progress.encoded, NoteName.seen(name, page: number): seen]
        if page.nextToken == nil {
            var copy = state
            append.notesIfUnstorable = forgotten(name, &copy)
        } else {
            progress.hasGaps = true
            append.notesIfUnstorable = [
                NoteName.progress(name): progress.encoded, NoteName.seen(name, page: number): seen,
            ]
        }
    }

    /// The time of the oldest change that a query at `startedAt` may have overlooked.
    func changesSince(_ startedAt: Int64) -> Int64 {
        isServerExact ? startedAt : max(0, startedAt - options.staleness)
    }

    /// Removes the notes of a base query.
    func forgotten(_ name: String, _ state: inout ModelState) -> [String: [UInt8]?] {
        defer { (state.progress, state.seen) = (nil, []) }
        var notes: [String: [UInt8]?] = [:]
        // A digest notes no progress.
        if state.run?.isDigest ?? false { return notes }
        notes.updateValue(nil, forKey: NoteName.progress(name))
        for page in 0..<(state.progress?.pageCount ?? 0) {
            notes.updateValue(nil, forKey: NoteName.seen(name, page: page))
        }
        return notes
    }

    /// Tells the inbox that a page is in the log.
    package mutating func appended(
        _ page: PageAppend, _ outcome: PageOutcome = PageOutcome(), at now: Int64
    ) -> [Action] {
        guard var state = models[page.model], var run = state.run, run.firstNumber > 0, page.query >= run.firstNumber
        else { return [] }
        var actions: [Action] = []
        run.newCount += outcome.newCount
        run.differing += outcome.differing
        if let reason = outcome.unstorable.first {
            let count = outcome.unstorable.count
            let others = count > 1 ? " (and \(count - 1) more)" : ""
            actions.append(.report(.badAnswer("\(page.model): \(reason)\(others)")))
            run.unusableCount += count
            state.progress?.hasGaps = true
            run.noted = nil
        }
        if let sync = run.noted { state.lastSync = sync }
        state.run = run
        models[page.model] = state
        guard case .appending = state.phase, run.number == page.query else { return actions }
        if run.isDigest, run.differing.count > Self.digestLimit,
            run.differing.count > Int(state.progress?.recordCount ?? 0) / 5
        {
            // A query for all records is cheaper than so many requests for single ones.
            return actions + restart(page.model, run, asBase: true, because: nil, at: now, jitter: 0)
        }
        if run.listsAll { return actions + sweep(page.model, at: now) }
        // The notes of an incomplete base query were removed together with the append.
        if run.isBase {
            (state.progress, state.seen) = (nil, [])
            models[page.model] = state
        }
        if !run.differing.isEmpty { return actions + askForDiffering(page.model) }
        if run.usesIndex, !run.isBase, let index = state.index, !index.findsDeletions {
            return actions + listKeys(page.model, run, at: now)
        }
        return actions + finish(page.model, at: now)
    }
}
