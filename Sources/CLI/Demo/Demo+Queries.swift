internal import Tidelog

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
        Question(
            title: "Once called Edo", model: "City", predicate: "alternateNames.contains(\"Edo\")"),
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
            let (first, second) = (try await ask(question, lmdb), try await ask(question, sqlite))
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
            try snapshot.plan(question.model, where: predicate, sort: question.sort)
        }
        let start = ContinuousClock.now
        let records = try await store.records(question.model, where: predicate, sort: question.sort)
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
