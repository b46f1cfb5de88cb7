import PostgresSupport
import TestWaiting
import Testing
import TidelogCore
import TidelogServer

@testable import TidelogPostgres

/// Changes by concurrent writers reach every reader once, and the changes of a record come in the order of its versions.
@Suite("The order of changes in PostgreSQL", .enabled(if: PostgresCluster.isInstalled))
struct ChangeOrderTests {
    private static let schema = Schema(models: [
        ModelSchema(name: "Item", fields: [FieldSchema("id", .id, isRequired: true)] + Metadata.fields)
    ])

    @Test("two stores with 16 writers: a follower of each hears every change once, and each record's versions in order")
    func concurrent() async throws {
        let address = try DatabaseAddress(PostgresCluster.makeDatabase())
        let stores = [
            try await PostgresVersionedStore(address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000),
            try await PostgresVersionedStore(address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000),
        ]
        let (writers, each, recordCount) = (16, 40, 5)
        let followers = try await stores.mapAsync { store in
            let changes = try await store.changes()
            return Task {
                var versions: [String: [Int64]] = [:]
                for try await change in changes {
                    guard case .string(let id)? = change.record["id"] else { continue }
                    versions[id, default: []].append(change.record.version)
                    if versions.values.reduce(0, { $0 + $1.count }) == writers * each { break }
                }
                return versions
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                let store = stores[writer % 2]
                group.addTask {
                    for number in 0..<each {
                        let id = "r\((writer + number) % recordCount)"
                        let change = RequestedChange("Item", RecordID(id)) { _ in
                            .save(Record(model: "Item", values: ["id": .string(id)]))
                        }
                        _ = try await store.change([change])[0].get()
                    }
                }
            }
            try await group.waitForAll()
        }
        for follower in followers {
            let versions = try await follower.value
            #expect(versions.count == recordCount)
            for list in versions.values { #expect(list == Array(1...Int64(list.count))) }
        }
    }

    @Test("after a sync has begun, later changes have its time or a later one, and earlier changes are visible")
    func syncs() async throws {
        let address = try DatabaseAddress(PostgresCluster.makeDatabase())
        let writer = try await PostgresVersionedStore(
            address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000)
        let reader = try await PostgresVersionedStore(
            address, schema: Self.schema, source: "s", tombstoneAge: 1_000_000)
        let times = Shared<[Int64]>([])
        let writing = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<60 {
                            let id = "\(task)-\(number)"
                            let change = RequestedChange("Item", RecordID(id)) { _ in
                                .save(Record(model: "Item", values: ["id": .string(id)]))
                            }
                            let record = try await writer.change([change])[0].get().record
                            times.update { $0.append(record?.lastChangedAt ?? 0) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let seen = Shared<[(time: Int64, count: Int)]>([])
        while times.value.count < 480 {
            let time = try await reader.beginSync()
            let before = QueryPredicate.field(Metadata.lastChangedAt, .less(.int(time)))
            let page = try await reader.page(PageQuery(Record.all(of: "Item").where(before), limit: 1_000))
            seen.update { $0.append((time, page.records.count)) }
        }
        try await writing.value
        // No change with an earlier time appeared after a sync had begun.
        for (time, count) in seen.value { #expect(times.value.count { $0 < time } == count) }
        #expect(seen.value.count > 3)
    }
}

extension Array where Element: Sendable {
    fileprivate func mapAsync<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
