import Foundation
import Tidelog

/// Tidelog through its public API, as an app uses it.
struct TidelogEngine: GrowingEngine {
    let adapter: Adapter
    var setting = Setting.plain

    /// The way in which an app uses the store.
    enum Setting: String {
        case plain = "tidelog"
        /// One observer and one live query follow the saved records.
        case observed = "tidelog-observed"
        /// All calls come from the main actor.
        case mainActor = "tidelog-main-actor"
    }

    var name: String { setting.rawValue }

    func takesPart(in workload: Workload) -> Bool {
        switch setting {
        case .plain: !workload.hasPairs
        case .observed: workload == .savers
        case .mainActor: workload == .savers || workload == .pointRead
        }
    }

    private var factory: AdapterFactory { adapter == .lmdb ? .lmdb() : .sqlite() }

    func open(_ size: WorkloadSize, in directory: String) async throws -> TidelogStore {
        try await open(size, in: directory, .app)
    }

    /// Opens the store with models of another schema, or creates it.
    func open(_ size: WorkloadSize, in directory: String, _ schema: Schema) async throws -> TidelogStore {
        try await open(size, in: directory, factory, schema)
    }

    private func open(
        _ size: WorkloadSize, in directory: String, _ factory: AdapterFactory, _ schema: Schema = .app
    ) async throws -> TidelogStore {
        TidelogStore(
            store: try await DataStore.open(
                at: URL(fileURLWithPath: directory + "/store"), schema: schema, adapter: factory,
                configuration: DataStoreConfiguration(durability: size.durability)))
    }

    func run(
        _ workload: Workload, _ size: WorkloadSize, in directory: String, _ meter: Meter
    ) async throws -> Measurement? {
        if workload == .codec {
            return try CodecEngine(name, .both, RowCodec.self).run(workload, size, in: directory, meter)
        }
        let generator = PostGenerator(workload)
        let numbers = 0..<size.records
        let store = try await open(size, in: directory, workload == .append ? .discarding : factory)
        let measurement: Measurement?
        switch workload {
        case .append, .loadRandom, .loadOrdered:
            measurement = try await store.load(generator, numbers, size, meter)
        case .savers: measurement = try await store.saveConcurrently(generator, size, meter, setting)
        default:
            let load = try await store.load(generator, numbers, size, .off)
            if workload == .rebuild { return try await rebuild(store, size, in: directory, meter, load) }
            measurement = try await work(store, workload, generator, size, meter, load)
        }
        try await store.close()
        return measurement
    }

    private func work(
        _ store: TidelogStore, _ workload: Workload, _ generator: PostGenerator, _ size: WorkloadSize, _ meter: Meter,
        _ load: Measurement
    ) async throws -> Measurement? {
        switch workload {
        case .update: return try await store.save(generator, 0..<size.records, size, revision: 1, meter)
        case .pointRead:
            let caller: (any Actor)? = setting == .mainActor ? MainActor.shared : nil
            return try await store.read(generator, size, meter, on: caller).touching(size.operations, like: load)
        case .scan: return try await store.scan(size, meter).touching(size.records, like: load)
        case .indexRange:
            let (range, rows) = try await store.range(size, meter)
            return range.touching(rows, like: load)
        case .ycsbA: return try await store.mix(generator, size, meter)
        case .append, .loadRandom, .loadOrdered, .savers, .rebuild, .growth, .open, .codec, .server, .sync,
            .syncDelayed:
            return nil
        }
    }

    /// Measures a rebuild. The rows are deleted, so that opening the store recreates them.
    private func rebuild(
        _ store: TidelogStore, _ size: WorkloadSize, in directory: String, _ meter: Meter, _ load: Measurement
    ) async throws -> Measurement {
        try await store.close()
        let generation = directory + "/store/generation-1/"
        for name in try FileManager.default.contentsOfDirectory(atPath: generation) where name.hasPrefix("rows-") {
            try FileManager.default.removeItem(atPath: generation + name)
        }
        var measurement = Measurement()
        meter.resume()
        let began = Clock.now()
        let reopened = try await open(size, in: directory)
        measurement.seconds = Double(Clock.now() - began) / 1e9
        meter.pause()
        measurement.operations = try await reopened.count()
        guard measurement.operations == size.records else { throw UsageError("the rebuild lost records") }
        try await reopened.close()
        return measurement.touching(size.records, like: load)
    }
}
