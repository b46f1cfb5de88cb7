import Foundation
import Testing
import TidelogLMDB
import TidelogLogSalvage

@Suite("Data files that are read page by page")
struct SalvagedTreeTests {
    private let scratch: Scratch
    private let values: [UInt64: [UInt8]]
    private let file: Data

    /// Makes a keyspace of integer keys in many commits. Some keys are missing, and a few values have pages of their own.
    init() throws {
        scratch = try Scratch()
        let environment = try scratch.open()
        let transaction = try environment.beginWrite()
        let events = try transaction.openKeyspace(named: "events", integerKeys: true, create: true)
        let names = try transaction.openKeyspace(named: "names", create: true)
        try transaction.put(names, bytes("one"), bytes("1"))
        try transaction.put(names, bytes("two"), bytes("2"))
        try transaction.commit()
        var values: [UInt64: [UInt8]] = [:]
        for round in 0..<20 as Range<UInt64> {
            let transaction = try environment.beginWrite()
            for number in 1...40 as ClosedRange<UInt64> {
                let key = round * 60 + number
                let value = Array(repeating: UInt8(key % 251), count: key % 37 == 0 ? 9_000 : 90)
                try withIntegerKey(key) { key in try value.withUnsafeBytes { try transaction.put(events, key, $0) } }
                values[key] = value
            }
            for key in values.keys where key % 5 == 0 && key > round * 50 {
                _ = try withIntegerKey(key) { try transaction.delete(events, $0) }
                values[key] = nil
            }
            try transaction.commit()
        }
        environment.close()
        self.values = values
        file = try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile))
    }

    private func places(
        _ file: Data
    ) throws -> (trees: SalvagedTrees, places: SalvagedTrees.Places?, pages: DataFilePages) {
        try file.write(to: URL(fileURLWithPath: scratch.dataFile))
        let pages = try DataFilePages(directory: scratch.path)
        let trees = try SalvagedTrees(pages)
        return (trees, try trees.keyspaces["events"].map { try trees.places(of: $0) }, pages)
    }

    @Test("An undamaged file gives every entry of every keyspace")
    func whole() throws {
        let (trees, found, pages) = try places(file)
        let places = try #require(found)
        #expect(trees.isNewest && places.lostKeys.isEmpty)
        #expect(places.entries.map(\.key) == values.keys.sorted())
        for entry in places.entries {
            #expect(try pages.read(values[entry.key]?.count ?? 0, at: entry.offset) == values[entry.key])
        }
        let names = try #require(trees.keyspaces["names"])
        let (entries, isWhole) = try trees.entries(of: names)
        #expect(isWhole && entries.map(\.key) == [bytes("one"), bytes("two")])
        #expect(entries.map(\.value) == [bytes("1"), bytes("2")])
    }

    @Test("If any one page is zeroed, each key is found or is among the keys that are reported as lost")
    func zeroedPages() throws {
        let size = filePageSize
        var lostCount = 0
        for page in 0..<file.count / size {
            var damaged = file
            damaged.replaceSubrange(page * size..<(page + 1) * size, with: Data(count: size))
            let (trees, found, _) = try places(damaged)
            #expect(trees.isNewest == (page > 1))
            guard let places = found else { continue }
            let keys = Set(places.entries.map(\.key))
            #expect(page == 0 || page == 1 || keys.isSubset(of: values.keys), "page \(page)")
            for key in values.keys where page > 1 && !keys.contains(key) {
                #expect(places.lostKeys.contains { $0.contains(key) }, "page \(page), key \(key)")
                lostCount += 1
            }
        }
        #expect(lostCount > 500)
    }

    @Test("Reading a file with changed or missing bytes, or a file of zeros, never ends the process")
    func garbage() throws {
        var seed: UInt64 = 7
        let random = { (limit: Int) -> Int in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % limit
        }
        for round in 0..<300 {
            var damaged = file
            for _ in 0..<(round % 3 == 0 ? 400 : 40) { damaged[random(file.count)] = UInt8(random(256)) }
            if round % 7 == 0 { damaged.removeLast(random(file.count)) }
            let (trees, _, _) = try places(damaged)
            for tree in trees.keyspaces.values { _ = try trees.entries(of: tree) }
            try trees.forEachEntry { _, _ in }
        }
        _ = try places(Data())
        _ = try places(Data(count: 100_000))
    }

    @Test("The page size is found without meta pages")
    func pageSize() throws {
        var damaged = file
        damaged.replaceSubrange(0..<2 * filePageSize, with: Data(count: 2 * filePageSize))
        #expect(try places(damaged).pages.pageSize == filePageSize)
    }

    @Test("A file that this process has open is refused")
    func open() throws {
        let environment = try scratch.open()
        #expect(code { _ = try DataFilePages(directory: scratch.path) } == .alreadyOpen)
        environment.close()
        _ = try DataFilePages(directory: scratch.path)
    }
}
