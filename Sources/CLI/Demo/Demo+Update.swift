internal import Tidelog

extension Demo {
    /// Updates every city in one commit while a live query observes them.
    mutating func updateAtOnce() async throws {
        try stage(
            "Change everything at once",
            "Every population grows by 1 %, in one commit: a live query sees all of it or nothing.")
        let store = try StoreAccess(path: path(.lmdb)).openForWriting(console: console)
        let query = store.observeQuery(
            City.self, where: City.keys.population > 10_000_000, sort: .descending(City.keys.population),
            page: .first(3))
        var results = query.makeAsyncIterator()
        let before = try await results.next()
        try show("before", before)
        let start = ContinuousClock.now
        async let commit = Self.grow(store)
        let after = try await results.next()
        let seen = ContinuousClock.now - start
        let done = try await commit
        try show("after", after)
        try require(after?.sequence == done.last, "the live query saw a state between two commits")
        let whole = zip(before?.items ?? [], after?.items ?? []).allSatisfy {
            $1.population == Self.grown($0.population)
        }
        try require(whole, "the live query's result is not one of the two states")
        try await store.close()
        try success(
            "\(counted(done.eventCount, "event")), \(done.first) to \(done.last); the live query went from one "
                + "state to the other, \(seen.short) after the write began")
        measure("update of every city in one commit (lmdb)", done.eventCount, "record", seen)

        let other = try StoreAccess(path: path(.sqlite)).openForWriting(console: console)
        let otherStart = ContinuousClock.now
        let otherCommit = try await Self.grow(other)
        let otherTime = ContinuousClock.now - otherStart
        try await other.close()
        measure("update of every city in one commit (sqlite)", otherCommit.eventCount, "record", otherTime)
    }

    private func show(_ label: String, _ result: LiveResult<City>?) throws {
        let cities = (result?.items ?? []).map { "\(console.shown($0.name)) \(style.dim($0.population.grouped))" }
        let sequence = result.map { "\($0.sequence)" } ?? "–"
        try say("    \(label.padded(to: 6))  \(cities.joined(separator: " · "))  \(style.dim("at event \(sequence)"))")
    }

    private static func grown(_ population: Int) -> Int { population + population / 100 }

    /// Increases the population of every city in one commit.
    private static func grow(_ store: DataStore) async throws -> Commit {
        try await store.write { transaction in
            for var city in try transaction.query(City.self) {
                city.population = grown(city.population)
                try transaction.save(city)
            }
        }
    }
}
