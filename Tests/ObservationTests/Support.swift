import Foundation
import TestStores
import Testing
import Tidelog
import TidelogLMDB
import TidelogSynchronization

@testable import TidelogCore

/// Reads `count` elements of `sequence`.
func read<Elements: AsyncSequence>(
    _ count: Int, of sequence: Elements
) async throws -> [Elements.Element] where Elements.Element: Sendable {
    var elements: [Elements.Element] = []
    guard count > 0 else { return [] }
    for try await element in sequence {
        elements.append(element)
        if elements.count == count { break }
    }
    return elements
}

/// The code of the store error that `body` throws, or `nil` if it throws none.
func code(_ body: () async throws -> Void) async -> DataStoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? DataStoreError)?.code
    }
}

/// Calls `body` with the path of a new directory for a store, and then removes the directory.
func withStoreDirectory<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: "observed-\(UInt64.random(in: 1 ... .max))")
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory)
}

/// Calls `body` with a store on the given adapter. The store does not sync its files.
func withStore(_ adapter: String, _ schema: Schema, _ body: (DataStore) async throws -> Void) async throws {
    let factories: [String: AdapterFactory] = ["memory": .inMemory(), "lmdb": .lmdb(), "sqlite": .sqlite()]
    let factory = try #require(factories[adapter])
    try await withStoreDirectory { directory in
        let store = try await DataStore.open(
            at: directory, schema: schema, adapter: factory,
            configuration: DataStoreConfiguration(durability: .relaxed))
        try await body(store)
        try await store.close()
    }
}

extension DataStore {
    /// Does what a compaction does, in a simple way: drops the events `dropped` and raises the floor.
    func compact(dropping dropped: [UInt64], floor: UInt64) async throws {
        let log = try current().log
        let chain = try log.withReader { try $0.event(at: SequenceNumber(floor))?.chain ?? 0 }
        try await writer(of: current()).exclusively { section in
            try section.logWriter.commit { transaction in
                for sequence in dropped {
                    try withIntegerKey(sequence) { _ = try transaction.delete(log.keyspaces.events, $0) }
                }
            }
            try section.logWriter.update { $0.floor = Position(sequence: SequenceNumber(floor), chain: chain) }
        }
    }
}
