internal import Tidelog
internal import TidelogRecordText

// MARK: - Queries

extension Demo {
    private struct Question {
        let title: String
        let model: String
        let predicate: String
        var sort = Sort.byKey
        var limit = 3
    }

    private static let questions = [
        Question(
            title: "The largest cities", model: "City", predicate: "population > 10000000",
            sort: Sort([.init("population", isDescending: true)])),
        Question(
            title: "The largest of Brazil", model: "City", predicate: "countryID == \"BR\"",
            sort: Sort([.init("population", isDescending: true)])),
        Question(
            title: "Saints with more than a million people", model: "City",
            predicate: "(name.beginsWith(\"San\") || name.beginsWith(\"Saint\")) && population > 1000000"),
        Question(title: "Once called Edo", model: "City", predicate: "alternateNames.contains(\"Edo\")"),
        Question(
            title: "Beyond the Arctic Circle", model: "City", predicate: "latitude > 66.56",
            sort: Sort([.init("population", isDescending: true)])),
        Question(
            title: "European countries of 5 to 10 million", model: "Country",
            predicate: "continent == \"EU\" && population.between(5000000, 10000000)",
            sort: Sort([.init("population", isDescending: true)])),
    ]

    /// Runs the queries on both stores, shows the plan of each, and shows that the answers are the same.
    mutating func runQueries() async throws {
        try stage("Ask", "One predicate, two adapters: each plans by its own means, and the answers are the same.")
        let lmdb = try StoreAccess(path: path(.lmdb)).openForReading()
        let sqlite = try StoreAccess(path: path(.sqlite)).openForReading()
        for question in Self.questions {
            let first = try await ask(question, lmdb)
            let second = try await ask(question, sqlite)
            try require(first.answer == second.answer, "LMDB and SQLite answer \(question.predicate) differently")
            try say("\n  \(style.bold(question.title))  \(style.dim("\(question.model) where \(question.predicate)"))")
            try say("    \(first.summary)")
            try say("    \(style.dim("lmdb    \(first.time.short.padded(to: 9, right: true))  \(first.plan)"))")
            try say("    \(style.dim("sqlite  \(second.time.short.padded(to: 9, right: true))  \(second.plan)"))")
        }
        let start = ContinuousClock.now
        let speakers = try await lmdb.query(
            Country.self, where: Country.keys.languages.contains("fr") && Country.keys.continent == .africa,
            sort: .descending(Country.keys.population))
        let time = (ContinuousClock.now - start).short
        try say(
            "\n  \(style.bold("The same in Swift, typed"))  \(style.dim("languages.contains(\"fr\") && continent == .africa"))"
        )
        try say("    \(speakers.map { "\($0.name) \(style.dim($0.population.grouped))" }.joined(separator: " · "))")
        try say("    \(style.dim("lmdb    \(time.padded(to: 9, right: true))"))")
        try await lmdb.close()
        try await sqlite.close()
    }

    private func ask(
        _ question: Question, _ store: DataStore
    ) async throws -> (answer: [Record], summary: String, plan: String, time: Duration) {
        let predicate = try QueryPredicate(parsing: question.predicate)
        let plan = try await store.read { snapshot in
            try snapshot.plan(Record.all(of: question.model).where(predicate).sorted(by: question.sort))
        }
        let start = ContinuousClock.now
        let records = try await store.fetch(Record.all(of: question.model).where(predicate).sorted(by: question.sort))
        let time = ContinuousClock.now - start
        var names = records.prefix(question.limit).map { record in
            "\(console.shown(record["name"]?.text ?? "")) \(style.dim(Self.population(record)))"
        }
        if records.count > question.limit { names.append(style.dim("… \(records.count.grouped) in all")) }
        return (records, names.joined(separator: " · "), plan.summary, time)
    }

    private static func population(_ record: Record) -> String {
        guard case .int(let population)? = record["population"] else { return "" }
        return population.grouped
    }
}

// MARK: - A live query

extension Demo {
    /// Updates every city in one commit while a live query observes them.
    mutating func updateAtOnce() async throws {
        try stage(
            "Change everything at once",
            "Every population grows by 1 %, in one commit: a live query sees all of it or nothing.")
        let store = try StoreAccess(path: path(.lmdb)).openForWriting(console: console)
        let query = store.observe(
            City.where(City.keys.population > 10_000_000).sorted(by: .descending(City.keys.population)).limit(3))
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
        measure("update of every city in one commit (lmdb)", done.eventCount, "record", took: seen)

        let other = try StoreAccess(path: path(.sqlite)).openForWriting(console: console)
        let otherStart = ContinuousClock.now
        let otherCommit = try await Self.grow(other)
        let otherTime = ContinuousClock.now - otherStart
        try await other.close()
        measure("update of every city in one commit (sqlite)", otherCommit.eventCount, "record", took: otherTime)
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
            for var city in try transaction.fetch(City.all) {
                city.population = grown(city.population)
                try transaction.save(city)
            }
        }
    }
}
