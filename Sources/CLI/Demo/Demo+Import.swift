@_spi(Adapters) internal import Tidelog

extension Demo {
    /// Imports countries and cities into a store of each adapter.
    mutating func importWorld() async throws {
        try stage(
            "Import real data", "Every record is an event in the log, synced before it is acknowledged; rows follow it."
        )
        for adapter in [Adapter.lmdb, .sqlite] {
            try FileSystem.removeTree(path(adapter))
            let store = try DataStore(
                path: path(adapter), schema: schema, factory: adapter.factory, configuration: .default)
            var (count, time) = (0, Duration.zero)
            for (model, file) in [("Country", world.countries), ("City", world.cities)] {
                let start = ContinuousClock.now
                var importer = RecordImporter(
                    into: store, model: try store.layout.model(called: model), options: .init(), console: console)
                count += try await importer.run(InputSource(file)).savedCount
                time += ContinuousClock.now - start
            }
            try await store.close()
            recordCount = count
            try success("\(path(adapter)): \(counted(count, "record")) in \(time.short)")
            measure("import into \(adapter.rawValue), 1,000 a commit, every commit synced", count, "record", time)
        }
    }
}
