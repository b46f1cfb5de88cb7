/// Chooses the times of queries of models whose changes the server does not push.
extension Inbox {
    /// Whether the model is queried at intervals.
    func isAtIntervals(_ state: ModelState) -> Bool {
        wantsSubscriptions && state.subscription != .established && mayQuery(state)
    }

    /// The time until the next query after `quietCount` queries that found no change.
    func interval(after quietCount: Int) -> Int64 {
        var interval = options.interval
        for _ in 0..<quietCount where interval < options.maximumInterval { interval *= 2 }
        return min(interval, options.maximumInterval)
    }

    /// Reports once that models are queried at intervals. A model that lost its subscriptions for a moment is not reported.
    mutating func intervalReport(_ state: ModelState, at now: Int64) -> [InboxAction] {
        guard !hasReportedIntervals, isAtIntervals(state), state.subscriptionReason != "",
            state.intervalEnd.map({ $0 <= now }) ?? false
        else { return [] }
        hasReportedIntervals = true
        let affected = names.filter { name in models[name].map { isAtIntervals($0) } ?? false }
        return [.report(.queriedAtIntervals(affected, state.subscriptionReason))]
    }

    /// Tells the inbox that the server took a change of the model. If the model is queried at intervals, it is queried soon.
    package mutating func changeTaken(_ name: String, at now: Int64) -> [InboxAction] {
        guard let state = models[name], isAtIntervals(state) else { return [] }
        let due = max(now, state.queriedAt + options.minimumInterval)
        models[name]?.quietCount = 0
        models[name]?.intervalEnd = min(state.intervalEnd ?? due, due)
        return work(at: now)
    }
}
