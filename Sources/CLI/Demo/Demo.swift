@_spi(Adapters) internal import Tidelog
internal import TidelogRecordText

/// One run of the demo: its stores, and the measurements for the summary.
struct Demo {
    let world: World
    let schema: Schema
    let directory: String
    let console: Console
    let style: Console.Style
    private var stageNumber = 0
    /// The rows of the summary: the step, the number of units, and the time that the step took.
    var measures: [(what: String, count: Int, unit: String, time: Duration)] = []
    /// How many records the data has.
    var recordCount = 0

    init(_ world: World, in directory: String, on console: Console) throws {
        self.world = world
        schema = try SchemaFile.read(world.schema)
        self.directory = directory
        self.console = console
        style = console.outputStyle
    }

    func path(_ adapter: StoreAccess.Adapter) -> String { "\(directory)/world-\(adapter.rawValue)" }

    mutating func run() async throws {
        let start = ContinuousClock.now
        try say(style.bold("Tidelog: the log is the truth; everything else is a consumer of it."))
        try await importWorld()
        try await runQueries()
        try await updateAtOnce()
        try await killWriter()
        try await compareHashes()
        try await syncDevices()
        try summarize(ContinuousClock.now - start)
    }

    // MARK: Output

    func say(_ text: String = "") throws {
        try console.output.write(text + "\n")
        try console.output.flush()
    }

    mutating func stage(_ title: String, _ explanation: String) throws {
        stageNumber += 1
        try say("\n\(style.cyan("\(stageNumber)")) \(style.bold(title))\n  \(style.dim(explanation))")
    }

    func success(_ text: String) throws { try say("  \(style.green("✓")) \(text)") }

    mutating func measure(_ what: String, _ count: Int, _ unit: String, took time: Duration) {
        measures.append((what, count, unit, time))
    }

    /// Ends the demo with a failure if `holds` is false.
    func require(_ holds: Bool, _ what: String) throws {
        guard holds else {
            throw CommandFailure(
                .failed, "demoFailed", "The demo saw what must not be: \(what).",
                recovery: "Please report it, with the stores in \(directory).")
        }
    }

    private func summarize(_ time: Duration) throws {
        try say("\n\(style.bold("In short"))")
        var table = Table(
            [
                .init(title: "  what"), .init(title: "how many", isRight: true), .init(title: "time", isRight: true),
                .init(title: "rate", isRight: true),
            ], on: console)
        for measure in measures {
            let rate = (Double(measure.count) / max(measure.time.seconds, 1e-9)).fixed(0)
            try table.add([
                "  \(measure.what)", counted(measure.count, measure.unit), measure.time.short, "\(rate)/s",
            ])
        }
        try table.finish()
        try say("  \(style.dim("all of it in \(time.short); data: GeoNames, CC BY 4.0"))")
        let tool = System.invocation
        try say("\n\(style.bold("The stores stay in \(directory). Explore them:"))")
        for command in [
            "query --store \(path(.lmdb)) City 'name.beginsWith(\"San\") && population > 500000' --sort -population",
            "query --store \(path(.lmdb)) City 'timezone == \"Asia/Tokyo\"' --explain",
            "history --store \(path(.lmdb)) City 1850147",
            "log --store \(path(.lmdb)) --from 34250 --limit 20",
            "verify --store \(path(.sqlite))", "log --store \(directory)/device-b --limit 10",
        ] {
            try say("  \(tool) \(command)")
        }
    }
}

// MARK: - The data

extension Demo {
    /// The files of the demo.
    struct World: Sendable {
        let schema: String
        let countries: String
        let cities: String

        /// - Parameter directory: The directory of the files. If it is `nil`, the files are searched for near the program.
        init(_ directory: String?) throws {
            let candidates = directory.map { [$0] } ?? Self.candidates()
            let found = candidates.first { directory in
                ["schema.graphql", "countries.ndjson", "cities.ndjson"].allSatisfy {
                    System.isFile("\(directory)/\($0)")
                }
            }
            guard let found else {
                throw CommandFailure(
                    .failed, "inputOutput", "The demo's data was not found in \(candidates.joined(separator: ", ")).",
                    recovery:
                        "Run it in the package's directory, or name the data's: `tidelog demo --data Examples/World`."
                )
            }
            schema = "\(found)/schema.graphql"
            countries = "\(found)/countries.ndjson"
            cities = "\(found)/cities.ndjson"
        }

        /// The example folder in the working directory, then those in the folders above the program.
        private static func candidates() -> [String] {
            var directories = ["Examples/World"]
            var above = System.executableDirectory
            for _ in 0..<5 where above != "/" {
                directories.append("\(above)/Examples/World")
                above = System.parent(of: above)
            }
            return directories
        }
    }
}

extension Demo {
    /// Imports countries and cities into a store of each adapter.
    mutating func importWorld() async throws {
        try stage(
            "Import real data", "Every record is an event in the log, synced before it is acknowledged; rows follow it."
        )
        for adapter in [StoreAccess.Adapter.lmdb, .sqlite] {
            try FileSystem.removeTree(path(adapter))
            let store = try DataStore(
                path: path(adapter), schema: schema, factory: adapter.factory, configuration: .default)
            var count = 0
            var time = Duration.zero
            for (model, file) in [("Country", world.countries), ("City", world.cities)] {
                let start = ContinuousClock.now
                let target = try await StoreImport(
                    into: store, model: try store.layout.model(called: model), origin: .local)
                var importer = RecordImporter(into: target, options: .init(), console: console)
                count += try await importer.run(InputSource(file)).savedCount
                time += ContinuousClock.now - start
            }
            try await store.close()
            recordCount = count
            try success("\(path(adapter)): \(counted(count, "record")) in \(time.short)")
            measure("import into \(adapter.rawValue), 1,000 a commit, every commit synced", count, "record", took: time)
        }
    }
}
