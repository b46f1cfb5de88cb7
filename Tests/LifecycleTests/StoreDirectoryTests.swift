import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("The directory of a store")
struct StoreDirectoryTests {
    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test("opening a store creates its directory and missing parents, which only their owner may use")
    func missingParents() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(Adapter(factory: .lmdb()), "one/two/store")
        try await store.save(item("a", "t"))
        try await store.close()
        for name in ["one", "one/two", "one/two/store"] { #expect(try permissions(scratch.path(name)) == 0o700) }
        let again = try await scratch.open(Adapter(factory: .lmdb()), "one/two/store")
        #expect(try await again.title("a") == "t")
        try await again.close()
    }

    @Test("stores that are opened at the same time can create the same missing parents")
    func atTheSameTime() async throws {
        for round in 0..<20 {
            let scratch = try Scratch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await scratch.open(Adapter(factory: .lmdb()), "one/two/store\(number)").close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path("one/two").path).count == 4, "\(round)"
            )
        }
    }

    @Test("tasks that open the same new store at the same time create it once, and use it one after the other")
    func sameStore() async throws {
        for round in 0..<5 {
            let scratch = try Scratch()
            let saved = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        do {
                            let store = try await scratch.open(Adapter(factory: .lmdb()), "one/store")
                            try await store.save(item("r\(number)", "t"))
                            try await store.close()
                            return "r\(number)"
                        } catch let error as DataStoreError where error.code == .locked {
                            // The other tasks used the store for longer than an opening waits.
                            return nil
                        }
                    }
                }
                var ids: [String] = []
                for try await id in group { if let id { ids.append(id) } }
                return ids
            }
            #expect(!saved.isEmpty, "\(round)")
            let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path("one/store").path)
            #expect(files.sorted() == ["generation-1", "room", "writer.lock"], "\(round)")
            let store = try await scratch.open(Adapter(factory: .lmdb()), "one/store")
            let found = try await store.fetch(Record.all(of: "Item")).map { $0["id"] }
            #expect(found == saved.sorted().map { .string($0) }, "\(round)")
            try await store.close()
        }
    }

    @Test("an opening that creates no store creates neither the directory nor its parents")
    func notCreated() async throws {
        let scratch = try Scratch()
        for (schema, configuration) in [
            (itemSchema, DataStoreConfiguration(isReadOnly: true)),
            (itemSchema, DataStoreConfiguration(createsStore: false)),
            (nil, DataStoreConfiguration()),
        ] as [(Schema?, DataStoreConfiguration)] {
            let error = await #expect(throws: DataStoreError.self) {
                _ = try await scratch.open(
                    Adapter(factory: .lmdb()), "one/store", schema: schema, configuration: configuration)
            }
            #expect(error?.code == .notFound)
            #expect(!FileManager.default.fileExists(atPath: scratch.path("one").path))
        }
        try Data("x".utf8).write(to: scratch.path("file"))
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await scratch.open(Adapter(factory: .lmdb()), "file/two/store")
        }
        #expect(error?.code == .inputOutput)
    }
}
