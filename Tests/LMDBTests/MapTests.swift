import FaultHarness
import Foundation
import Testing
import TidelogLMDB

@Suite("The map")
struct MapTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fill(_ environment: Environment) throws {
        let rows = try environment.keyspace()
        try environment.write { try $0.put(rows, bytes("key"), bytes("value")) }
    }

    private func value(_ environment: Environment) throws -> [UInt8]? {
        let rows = try environment.keyspace()
        return try environment.beginRead().value(rows, bytes("key"))
    }

    @Test("A map begins with twice the file's size and at least 256 MiB; its steps are halved down to the file's size")
    func sizes() {
        let mebibytes = { (sizes: [Int]) in sizes.map { $0 >> 20 } }
        #expect(mebibytes(MapSize.forOpening(fileByteCount: 0, wanted: nil)) == [256, 128, 64, 32, 16, 8])
        #expect(
            mebibytes(MapSize.forOpening(fileByteCount: 1 << 30, wanted: nil))
                == [2_048, 1_536, 1_280, 1_152, 1_088, 1_056, 1_024])
        #expect(mebibytes(MapSize.forOpening(fileByteCount: 64 << 20, wanted: 16 << 20)) == [64])
        #expect(
            mebibytes(MapSize.forGrowing(from: 256 << 20, usedByteCount: 1 << 20)) == [512, 384, 320, 288, 272, 264])
        #expect(MapSize.forGrowing(from: 1 << 20, usedByteCount: 1 << 30).first == 2 << 30)
    }

    @Test("A new environment has a map of 256 MiB and a small file")
    func sparse() throws {
        let environment = try scratch.open(.init())
        try fill(environment)
        #expect(try environment.information.mapSize == 256 << 20)
        let size = try FileManager.default.attributesOfItem(atPath: scratch.dataFile)[.size] as? Int
        #expect(try #require(size) < 1 << 20)
    }

    @Test("A map grows if no transaction runs; a reset reader does not count as running")
    func grows() throws {
        let environment = try scratch.open(.init(mapSize: 1 << 20, syncPolicy: .noSync))
        try fill(environment)
        let reader = try environment.beginRead()
        #expect(code { try environment.growMap() } == .busy)
        reader.reset()
        try environment.growMap()
        #expect(try environment.information.mapSize == 2 << 20)
        try reader.renew()
        let rows = try #require(try reader.openKeyspace(named: "rows"))
        #expect(try reader.value(rows, bytes("key")) == bytes("value"))
        reader.end()
        let writer = try environment.beginWrite()
        #expect(code { try environment.growMap() } == .busy)
        writer.abort()
        #expect(try value(environment) == bytes("value"))
    }

    @Test("A transaction that did not fit is followed by one with a larger map, as soon as no reader is running")
    func waitsForReaders() throws {
        let environment = try scratch.open(.init(mapSize: 256 << 10, syncPolicy: .noSync))
        let rows = try environment.keyspace()
        let growing = GrowingEnvironment(environment)
        let put = { (transaction: WriteTransaction) throws in
            for index in 0..<1_000 {
                try transaction.put(rows, bytes("key\(index)"), Array(repeating: 1, count: 1_000))
            }
            try transaction.commit()
        }
        let reader = try growing.take()
        let first = try growing.beginWrite()
        #expect(code { try put(first) } == .mapFull)
        first.abort()
        Thread.detachNewThread {
            while !growing.isWanted { usleep(1_000) }
            growing.give(reader)
        }
        var attempts = 1
        while true {
            let transaction = try growing.beginWrite()
            do throws(any Error) {
                try put(transaction)
                break
            } catch let error as LMDBError where error.code == .mapFull {
                transaction.abort()
                attempts += 1
            }
        }
        #expect(attempts > 1)
        #expect(try growing.withReader { try $0.entryCount(rows) } == 1_000)
        #expect(try growing.information.mapSize > 256 << 10)
    }

    #if os(Linux)
        @Test("Under a limit of addresses the map grows in smaller steps, and a refusal leaves it as it was")
        func growsUnderLimit() async throws {
            try fill(try scratch.open())
            await #expect(processExitsWith: .success) { [path = scratch.path as String] in
                let environment = try Environment(directory: path, options: quick)
                let rows = try environment.keyspace()
                try limitMemory(toAdditional: 100 << 20)
                try environment.growMap()
                let grown = try environment.information.mapSize >> 20
                #expect(grown > 64 && grown < 128)
                #expect(code { for _ in 0..<100 { try environment.growMap() } } == .addressSpace)
                #expect(try environment.beginRead().value(rows, bytes("key")) == bytes("value"))
                try environment.write { try $0.put(rows, bytes("key"), bytes("new")) }
                #expect(try environment.beginRead().value(rows, bytes("key")) == bytes("new"))
            }
        }

        @Test("If even the smallest map is refused, the error names the lack of addresses")
        func smallestIsRefused() async throws {
            await #expect(processExitsWith: .success) { [path = scratch.path as String] in
                try limitMemory(toAdditional: 6 << 20)
                #expect(code { _ = try Environment(directory: path) } == .addressSpace)
            }
        }
    #endif
}
