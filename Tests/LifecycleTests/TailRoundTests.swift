import FaultHarness
import Foundation
import TestStores
import TestWaiting
import Testing

@testable import Tidelog
@testable import TidelogCore

@Suite("Rounds of the tail")
struct TailRoundTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func tail(of store: URL, _ number: Int) -> URL {
        store.appending(path: "generation-1/log/tail-\(number)")
    }

    private func byteCount(_ file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    private func large(_ number: Int) -> Record { item("r\(number)", String(repeating: "x", count: 100_000)) }

    /// Saves items of 100,000 bytes until `condition` holds. Returns the number of the next item.
    private func save(_ store: DataStore, from first: Int = 0, until condition: () -> Bool) async throws -> Int {
        var number = first
        while number < 200, !condition() {
            try await store.save(large(number))
            number += 1
        }
        return number
    }

    private func count(_ store: DataStore) async throws -> Int {
        #expect(try await store.verify().isWhole)
        return try await store.count(Record.all(of: "Item"))
    }

    @Test("after a time without writes, the tail has no memory until the next write")
    func idleMemory() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()))
        let memory = try #require(try await store.tailMemory())
        // The first turn fills both files, and each later turn writes one group.
        for saved in [30, 1, 1] {
            for number in 0..<saved { try await store.save(large(number)) }
            try await eventually("idle memory is released") { memory.mappedCount == 0 }
            #expect(try await count(store) == 30)
        }
        try await store.close()
    }

    @Test("a round ends after 2 MiB if the other file can begin, and is as long as the file if it cannot")
    func length() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()))
        try await store.logAbsorber().stop()
        let (first, second) = (tail(of: scratch.path(), 1), tail(of: scratch.path(), 2))
        let begun = try await save(store) { byteCount(second) > 0 }
        #expect((2 << 20...3 << 20).contains(byteCount(first)))
        let saved = try await save(store, from: begun) { byteCount(second) == 8 << 20 }
        #expect(saved > begun + 50 && byteCount(first) <= 3 << 20)
        // A killed process leaves the same files.
        try FileManager.default.copyItem(at: scratch.path(), to: scratch.path("left"))
        #expect(try await count(store) == saved)
        try await store.close()
        let left = try await scratch.open(.init(factory: .lmdb()), "left")
        #expect(try await count(left) == saved)
        try await left.close()
    }

    #if os(Linux)
        @Test(
            "a group goes to the beginning of the last file if the disk has no room for the other file",
            .enabled(if: TemporaryFilesystem.unavailability() == nil))
        func noRoomForTheOtherFile() async throws {
            let disk = try TemporaryFilesystem(size: 24 << 20)
            let directory = disk.url.appending(path: "store")
            let store = try await DataStore.open(
                at: directory, schema: itemSchema, adapter: .inMemory(),
                configuration: DataStoreConfiguration(durability: .relaxed))
            try await store.logAbsorber().stop()
            let (first, second) = (tail(of: directory, 1), tail(of: directory, 2))
            let saved = try await save(store) { byteCount(first) > 2 << 20 }
            try Data(count: disk.freeBytes()).write(to: disk.url.appending(path: "ballast"))
            #expect(disk.freeBytes() == 0 && byteCount(second) == 0)
            try await store.save(large(saved))
            #expect(byteCount(second) <= 512 << 10)
            #expect(try await count(store) == saved + 1)
            try await store.close()
        }
    #endif
}
