import TestStores
import Testing

@testable import Tidelog
@testable import TidelogCore

@Suite("Stores of earlier app versions")
struct ChainTests {
    @Test(
        "each app version opens the store of each earlier version, with its records and its unsent changes",
        arguments: Adapter.all, 1...3)
    func allPairs(adapter: Adapter, seed: Int) async throws {
        var chain = VersionChain(UInt64(seed), count: 7)
        for old in chain.versions.indices {
            let written = chain.records(old)
            for new in chain.versions.indices where new > old {
                let scratch = try Scratch()
                var store = try await scratch.open(adapter, chain.versions[old])
                try await store.write { transaction in for record in written { try transaction.save(record) } }
                try await store.close()
                store = try await scratch.open(adapter, chain.versions[new])
                #expect(try await contents(store) == Set(written.map { chain.expected($0, through: [new]) }))
                #expect(try store.allEvents().filter(\.asksForMutation).count == written.count)
                #expect(try await store.metrics().consumers.allSatisfy { $0.position == .start })
                let report = try await store.verify()
                #expect(report.isWhole, "\(report.differences)")
                let before = try await store.hash()
                try await store.rebuild()
                #expect(try await store.hash() == before)
                try await store.close()
            }
        }
    }

    @Test(
        "a store that each app version opens and writes in turn keeps all records, equally in every adapter",
        arguments: 1...3)
    func oneAfterTheOther(seed: Int) async throws {
        var hashes = Set<StateHash>()
        for adapter in Adapter.all {
            var chain = VersionChain(UInt64(seed), count: 7)
            let scratch = try Scratch()
            var expected: [Record] = []
            for version in chain.versions.indices {
                let store = try await scratch.open(adapter, chain.versions[version])
                let written = chain.records(version)
                expected = expected.map { chain.expected($0, through: [version]) } + written
                try await store.write { transaction in for record in written { try transaction.save(record) } }
                let found = try await contents(store)
                // A record that this version wrote may have more values than expected: the defaults of fields that only
                // earlier versions declared.
                for record in expected {
                    let id = record["id"]
                    let match = found.first { $0.model == record.model && $0["id"] == id }
                    #expect(record.values.allSatisfy { name, value in match?[name] == value }, "\(record) \(version)")
                }
                #expect(found.count == expected.count)
                try await store.checkRows()
                if version == chain.versions.count - 1 { hashes.insert(try await store.hash()) }
                try await store.close()
            }
        }
        #expect(hashes.count == 1)
    }

    private func contents(_ store: DataStore) async throws -> Set<Record> {
        var records = Set<Record>()
        for model in try store.schema.declared.models { records.formUnion(try await store.all(model.name)) }
        return records
    }
}
