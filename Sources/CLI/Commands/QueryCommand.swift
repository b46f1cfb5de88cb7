@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordText

/// Finds records by a predicate.
struct QueryCommand: Command {
    static let syntax = CommandSyntax(
        name: "query", summary: "find records by a predicate",
        discussion: """
            Predicates are written as in Swift: == != < <= > >= && || !, parentheses, name.beginsWith("San"),
            .endsWith(…), .contains(…), .notContains(…), population.between(1, 5), countryID.in(["AT", "CH"]),
            capital == nil, name.equals("bern", ignoringCase: true).
            A comparison with a missing value is false. Every order ends with the key.
            On a terminal a table leaves out columns for which there is no room, and names them; numbers are never cut.
            """,
        operands: [
            .model,
            .init(name: Option.predicate, help: "which records; all of them if it is left out", isOptional: true),
        ],
        options: Option.forStore + [
            Option(name: "where", value: Option.predicate, help: "which records: another way to give the predicate"),
            Option(name: "sort", value: "a,-b", help: "by these fields; - before one puts large values first"),
            Option(name: "limit", value: "N", help: "at most N records"),
            Option(name: "offset", value: "N", help: "leave out the first N"),
            Option(name: "count", help: "only how many"),
            Option(name: "explain", help: "only how it would be answered: by an index or a scan"),
            .fields,
            Option(name: "vertical", help: "one field a line, in place of a table"),
            .metadata,
        ],
        examples: [
            .init(
                "The ten largest cities of India",
                "query --store ./world City 'countryID == \"IN\"' --sort -population --limit 10"),
            .init("Texts and lists", "query --store ./world City 'name.beginsWith(\"San\") && population > 500000'"),
            .init(
                "Some fields of a few",
                "query --store ./world City --fields name,population --sort -population --limit 3"),
            .init("Every field, one a line", "query --store ./world City --where 'id == \"1850147\"' --vertical"),
            .init("How many", "query --store ./world City 'population.between(1000000, 2000000)' --count"),
            .init("Index or scan", "query --store ./world City 'timezone == \"Asia/Tokyo\"' --explain"),
        ])

    private let access: StoreAccess
    private let model: String
    private var predicate: PredicateText
    private let sort: Sort
    private let page: Page
    private let countsOnly: Bool
    private let explains: Bool
    private let choice: FieldChoice
    private let isVertical: Bool
    private let showsMetadata: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        let operand = arguments.operands.count > 1 ? arguments.operands[1] : nil
        if operand != nil, arguments.has("where") {
            throw UsageError("The predicate is given twice, after the model and with --where.")
        }
        predicate = try PredicateText(operand ?? arguments.text("where"))
        sort = Sort(text: arguments.text("sort") ?? "")
        page = Page(
            offset: try arguments.number("offset", in: 0 ... .max) ?? 0,
            limit: try arguments.number("limit", in: 0 ... .max))
        countsOnly = arguments.has("count")
        explains = arguments.has("explain")
        choice = try FieldChoice(arguments)
        isVertical = arguments.has("vertical")
        if isVertical, arguments.has("json") { throw UsageError("--vertical and --json exclude each other.") }
        showsMetadata = arguments.has("metadata")
    }

    private var question: Query<Record> {
        Record.all(of: model).where(predicate.predicate).sorted(by: sort).page(page)
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let start = ContinuousClock.now
        return try await access.readRows(on: console) { snapshot in
            let layout = try snapshot.layout.model(called: model)
            var command = self
            command.predicate = try predicate.fitted(to: layout, in: snapshot.layout)
            for warning in command.predicate.unknownCases(of: layout) { console.warn(warning) }
            try command.answer(snapshot, layout, since: start, console)
            try console.output.flush()
        }
    }

    private func answer(
        _ snapshot: StoreSnapshot, _ layout: ModelLayout, since start: ContinuousClock.Instant, _ console: Console
    ) throws {
        if explains {
            try explain(snapshot, console)
        } else if countsOnly {
            try writeCount(snapshot, console)
        } else if console.isJSON {
            try writeLines(snapshot, layout, console)
        } else {
            let count =
                try isVertical ? writeVertical(snapshot, layout, console) : writeTable(snapshot, layout, console)
            try console.output.flush()
            let time = (ContinuousClock.now - start).short
            console.note(console.messageStyle.dim("\(counted(count, "record")) in \(time)"))
        }
    }

    private func explain(_ snapshot: StoreSnapshot, _ console: Console) throws {
        let plan = try snapshot.plan(question)
        guard console.isJSON else {
            let text = plan.summary + (plan.sorts ? "; sorts the result" : "")
            let width = console.isShownOnTerminal ? System.columns(1) : nil
            return try console.output.write(
                console.shown(text).wrapped(to: width ?? .max).joined(separator: "\n") + "\n")
        }
        try console.output.writeObject { writer in
            writer.member("index", orNull: plan.index)
            writer.member("plan", plan.summary)
            writer.member("sorts", plan.sorts)
        }
    }

    private func writeCount(_ snapshot: StoreSnapshot, _ console: Console) throws {
        let count = try snapshot.count(question)
        guard console.isJSON else { return try console.output.write("\(count)\n") }
        try console.output.writeObject { $0.member("count", count) }
    }

    private func writeLines(_ snapshot: StoreSnapshot, _ layout: ModelLayout, _ console: Console) throws {
        let fields = try choice.fields(of: layout)
        var output = RecordOutput.JSONLines(layout, fields, metadataFrom: showsMetadata ? snapshot : nil, on: console)
        _ = try forEachRow(snapshot) { try output.write($0) }
        try output.flush()
    }

    /// Calls `body` with the row of each record, in order. Returns the number of records.
    private func forEachRow(_ snapshot: StoreSnapshot, _ body: (RowView) throws -> Void) throws -> Int {
        var count = 0
        try snapshot.forEachRow(question) { row, _ in
            try body(row.row)
            count += 1
            return true
        }
        return count
    }

    /// Writes the records with one field per line. Returns the number of records.
    private func writeVertical(_ snapshot: StoreSnapshot, _ layout: ModelLayout, _ console: Console) throws -> Int {
        let fields = try choice.fields(of: layout)
        var lines = RecordOutput.FieldLines(layout, fields, metadataFrom: showsMetadata ? snapshot : nil, on: console)
        return try forEachRow(snapshot) { try lines.add($0) }
    }

    /// Writes the records as a table. Returns the number of records.
    private func writeTable(_ snapshot: StoreSnapshot, _ layout: ModelLayout, _ console: Console) throws -> Int {
        let fields = try choice.fields(of: layout)
        var table = RecordOutput.Columns(layout, fields, metadataFrom: showsMetadata ? snapshot : nil, on: console)
        let count = try forEachRow(snapshot) { try table.add($0) }
        if count > 0 { try table.finish() }
        return count
    }
}
