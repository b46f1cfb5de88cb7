@_spi(Adapters) internal import Tidelog
internal import TidelogFoundation
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSync

extension Demo {
    /// How many cities the devices have.
    private static let cityCount = 500

    /// Makes two devices edit the same city independently, and then syncs both and a third device with a server.
    mutating func syncDevices() async throws {
        try stage(
            "Sync devices",
            "Each device writes to a store of its own, also without a network; a server in another process unites them."
        )
        let served = "\(directory)/world-served"
        try FileSystem.removeTree(served)
        let server = try DemoServer(world.schema, store: served)
        let a = try device("a", .lmdb)
        let b = try device("b", .sqlite)
        let city = try await fill(a)
        try await sync("device a", a, server, measuring: "upload of a device's records")
        try await sync("device b", b, server)

        let shown = "\(console.shown(city.name)) \(style.dim(city.population.grouped))"
        try say("    both have \(shown), and change it without a network")
        let first = try await edit(city, on: a, name: "device a", population: city.population + 1_000)
        let second = try await edit(city, on: b, name: "device b", population: city.population + 2_000)
        for (name, store) in [("device a", a), ("device b", b), ("device a", a)] { try await sync(name, store, server) }
        guard let merged = try await a.query(City.self, id: city.id) else {
            return try require(false, "the city is gone")
        }
        let names = [first, second].flatMap { $0.alternateNames?.suffix(1) ?? [] }
        let isWhole = Set(names).isSubset(of: merged.alternateNames ?? [])
        try require(isWhole, "a name that a device added is lost")
        try require(merged.population == first.population, "the population is not the value that came first")
        let population = style.dim(merged.population.grouped)
        try say("    both have \(population) and the names \(names.joined(separator: " and "))")
        try success("merged by the server: lists keep every element, other fields the change that came first")

        let late = try device("c", .lmdb)
        try await sync("device c", late, server, measuring: "first sync of a late device")
        var hashes: Set<StateHash> = []
        for store in [a, b, late] {
            hashes.insert(try await store.read { try $0.stateHash() })
            try await store.close()
        }
        try require(hashes.count == 1, "the devices differ")
        try success("three devices, equal: \(style.bold(hashes.first.map { "\($0)" } ?? ""))")
    }

    private func device(_ name: String, _ adapter: StoreAccess.Adapter) throws -> DataStore {
        let path = "\(directory)/device-\(name)"
        try FileSystem.removeTree(path)
        return try DataStore(path: path, schema: schema, factory: adapter.factory, configuration: .default)
    }

    /// Saves all countries and the largest cities of the demo's world. Returns the largest city.
    private func fill(_ device: DataStore) async throws -> City {
        let world = try StoreAccess(path: path(.lmdb)).openForReading()
        let (countries, cities) = try await world.read { snapshot in
            let cities = try snapshot.fetch(
                City.all.sorted(by: .descending(City.keys.population)).page(.first(Self.cityCount)))
            return (try snapshot.fetch(Record.all(of: "Country")), cities)
        }
        try await world.close()
        try await device.write { transaction in
            for country in countries { try transaction.save(country) }
            for city in cities { try transaction.save(city) }
        }
        guard let largest = cities.first else {
            throw CommandFailure(
                .failed, "demoFailed", "The demo's data has no city.", recovery: "Use the data of Examples/World.")
        }
        return largest
    }

    /// Syncs a device once, and prints how many records were sent and received.
    private mutating func sync(
        _ name: String, _ store: DataStore, _ server: DemoServer, measuring measured: String? = nil
    ) async throws {
        let start = ContinuousClock.now
        let engine = try SyncEngine(
            store: store, endpoint: server.endpoint, authorization: .apiKey(server.key),
            configuration: SyncConfiguration(syncMaxRecords: .max), startup: .manual)
        let report = await engine.runOnce()
        let time = ContinuousClock.now - start
        if let failure = report.failure { throw CommandFailure(failure, isUnfinished: report.pending > 0) }
        try require(report.pending == 0 && report.setAside == 0, "a sync left changes unsent")
        let counts = "\(report.sent.grouped) sent, \(report.received.grouped) received"
        try say("    \(name)  \(style.dim("synced in \(time.short): \(counts)"))")
        if let measured { measure(measured, report.sent + report.received, "record", took: time) }
    }

    /// Changes the population of a city on one device, and adds a name to one of its lists. Returns the city as the device has
    /// it.
    private func edit(_ city: City, on store: DataStore, name: String, population: Int) async throws -> City {
        var city = try await store.query(City.self, id: city.id) ?? city
        city.population = population
        city.alternateNames = (city.alternateNames ?? []) + ["Town of \(name)"]
        try await store.save(city)
        try say("    \(name)  sets \(style.dim(population.grouped)), and adds the name Town of \(name)")
        return city
    }
}

/// A server of the demo's schema, in a child process that ends together with this value.
private final class DemoServer {
    let endpoint: URL
    let key: String
    private let child: ChildRun

    /// Starts a server on a port that the system chooses, with a new store at `store`.
    init(_ schema: String, store: String) throws {
        let arguments = ["serve", schema, "--store", store, "--port", "0", "--json"]
        child = try ChildRun(System.executable, arguments, readsOutput: true)
        let ready = try child.readLine().map { try JSONValue(parsing: Array($0.utf8)) }
        guard case .string(let text)? = ready?["endpoint"], case .string(let key)? = ready?["apiKey"],
            let endpoint = URL(string: text)
        else {
            throw CommandFailure(
                .failed, "demoFailed", "The demo's server did not start.",
                recovery: "Start one to see why: `tidelog serve \(schema) --store DIR`.")
        }
        self.endpoint = endpoint
        self.key = key
    }

    deinit { child.kill() }
}
