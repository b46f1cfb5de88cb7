import FaultHarness
import Foundation
import Testing
import TidelogLMDB

/// The bytes of a data file, which the tests damage.
private struct Image {
    static let pageSize = filePageSize
    static let header = 16
    /// Offsets in a meta page.
    enum Field {
        static let magic = 16
        static let version = 20
        static let mapSize = 32
        static let pageSize = 40
        static let freeRoot = 80
        static let mainDepth = 94
        static let mainRoot = 128
        static let lastPage = 136
        static let transaction = 144
    }

    var bytes: [UInt8]

    /// Makes a file with several commits. Each commit writes old and new keys. Both meta pages therefore point to trees, some
    /// pages are free, and the last page is in use.
    init() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        for round in 0..<4 {
            let rows = try environment.keyspace()
            try environment.write { transaction in
                for index in 0..<100 * (round + 1) {
                    try transaction.put(rows, Array("key\(1000 + index)".utf8), value(round))
                }
            }
        }
        environment.close()
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile)))
    }

    func load(_ offset: Int, page: Int) -> UInt64 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: page * Self.pageSize + offset, as: UInt64.self) }
    }

    mutating func store<Number: FixedWidthInteger>(_ number: Number, _ offset: Int, page: Int) {
        let start = page * Self.pageSize + offset
        withUnsafeBytes(of: number) { bytes.replaceSubrange(start..<start + $0.count, with: $0) }
    }

    /// The number of the meta page that the last commit wrote.
    var newest: Int { load(Field.transaction, page: 1) > load(Field.transaction, page: 0) ? 1 : 0 }
}

/// The value that every key has after this round.
private func value(_ round: Int) -> [UInt8] { Array(repeating: UInt8(round), count: 50) }

@Suite("Damaged files")
struct DamageTests {
    private let image: Image
    private let scratch: Scratch

    init() throws {
        image = try Image()
        scratch = try Scratch()
    }

    /// The outcome of opening and reading an image.
    private enum Outcome: Equatable {
        case refused(LMDBError.Code)
        case failed(LMDBError.Code)
        case read([[UInt8]: Int])
    }

    private func open(_ image: Image, inspectsEveryPage: Bool = false) throws -> Outcome {
        try Data(image.bytes).write(to: URL(fileURLWithPath: scratch.dataFile))
        do {
            var options = quick
            options.inspectsEveryPage = inspectsEveryPage
            let environment = try Environment(directory: scratch.path, options: options)
            do {
                let reader = try environment.beginRead()
                guard let rows = try reader.openKeyspace(named: "rows") else { return .read([:]) }
                var values: [[UInt8]: Int] = [:]
                for entry in try reader.entries(rows) { values[entry[1], default: 0] += 1 }
                return .read(values)
            } catch let error as LMDBError {
                return .failed(error.code)
            }
        } catch let error as LMDBError {
            return .refused(error.code)
        }
    }

    private func open(_ change: (inout Image) -> Void) throws -> Outcome {
        var image = image
        change(&image)
        return try open(image)
    }

    private let last = Outcome.read([value(3): 400])
    private let lastButOne = Outcome.read([value(2): 300])
    private let damaged = Outcome.refused(.damagedFile)

    @Test("An undamaged file opens")
    func undamaged() throws {
        #expect(try open(image) == last)
    }

    @Test("A file that was cut off is refused, and a file with extra bytes at its end is not")
    func truncated() throws {
        let count = image.bytes.count
        for kept in [1, 15, 151, 152, Image.pageSize, Image.pageSize + 100, 2 * Image.pageSize, count / 2, count - 1] {
            #expect(try open { $0.bytes.removeLast(count - kept) } == damaged, "\(kept) bytes kept")
        }
        #expect(try open { $0.bytes += Array(repeating: 0, count: 5000) } == last)
    }

    @Test("If every page is inspected, a page in use that was zeroed or replaced by another page is found")
    func everyPage() throws {
        #expect(try open(image, inspectsEveryPage: true) == last)
        let count = image.bytes.count / Image.pageSize
        var refused = 0
        for page in 2..<count {
            for source in [nil, 2, count - 1] where source != page {
                var image = image
                let range = page * Image.pageSize..<(page + 1) * Image.pageSize
                let other = source.map { Array(image.bytes[$0 * Image.pageSize..<($0 + 1) * Image.pageSize]) }
                image.bytes.replaceSubrange(range, with: other ?? Array(repeating: 0, count: Image.pageSize))
                let outcome = try open(image, inspectsEveryPage: true)
                // The content of a free page does not matter.
                #expect(outcome == damaged || outcome == last, "page \(page)")
                if outcome == damaged { refused += 1 }
            }
        }
        #expect(refused > 10)
    }

    @Test("A file of zeros, or with a zeroed meta page, is refused")
    func zeroed() throws {
        #expect(try open { $0.bytes = Array(repeating: 0, count: $0.bytes.count) } == damaged)
        for page in 0...1 {
            let range = page * Image.pageSize..<(page + 1) * Image.pageSize
            #expect(
                try open { $0.bytes.replaceSubrange(range, with: Array(repeating: 0, count: Image.pageSize)) }
                    == damaged)
        }
    }

    @Test(
        "A wrong magic number, page size or last page is refused in both meta pages, and a wrong root in the newest",
        arguments: [0, 1])
    func fields(page: Int) throws {
        typealias Field = Image.Field
        #expect(try open { $0.store(UInt32(0xBEEF_C0DF), Field.magic, page: page) } == damaged)
        #expect(try open { $0.store(UInt32(2), Field.version, page: page) } == damaged)
        for size in [0, 1, 256, 3000, 8192, 65_536, .max] as [UInt32] {
            #expect(try open { $0.store(size, Field.pageSize, page: page) } == damaged, "\(size)")
        }
        for number in [0, 1 << 20, 1 << 52, .max, .max - 1] as [UInt64] {
            #expect(try open { $0.store(number, Field.lastPage, page: page) } == damaged, "\(number)")
        }
        // A commit that could not write its meta page can leave its roots in the older meta page. Wrong roots in that page are
        // therefore no damage.
        let judged = page == image.newest ? damaged : last
        for root in [0, 1, image.load(Field.lastPage, page: page) + 1, 1 << 63, .max] as [UInt64] {
            #expect(try open { $0.store(root, Field.mainRoot, page: page) } == judged, "\(root)")
            #expect(try open { $0.store(root, Field.freeRoot, page: page) } == judged, "\(root)")
        }
        #expect(try open { $0.store(UInt16(33), Field.mainDepth, page: page) } == judged)
        #expect(try open { $0.store(UInt64(4096), Field.mapSize, page: page) } == damaged)
        #expect(try open { $0.store(UInt64.max, Field.mapSize, page: page) } == damaged)
        #expect(try open { $0.store(UInt64(1) << 40, Field.transaction, page: page) } == damaged)
    }

    @Test("A root page of a wrong kind, number or bounds is refused, and the free tree is not read as the main tree")
    func roots() throws {
        let root = Int(image.load(Image.Field.mainRoot, page: image.newest))
        for flags in [0, 1, 4, 8, 0x12, 0x22] as [UInt16] {
            #expect(try open { $0.store(flags, 10, page: root) } == damaged)
        }
        #expect(try open { $0.store(UInt64(root + 1), 0, page: root) } == damaged)
        let free = Int(image.load(Image.Field.freeRoot, page: image.newest))
        #expect(try open { $0.store(UInt64(free), Image.Field.mainRoot, page: image.newest) } != last)
        for bounds in [0, 15, 17, UInt16.max] { #expect(try open { $0.store(bounds, 12, page: free) } == damaged) }
        for bounds in [0, 15, UInt16.max] { #expect(try open { $0.store(bounds, 14, page: free) } == damaged) }
        #expect(try open { $0.store(UInt16.max, 16, page: free) } == damaged)
    }

    @Test("A file with any bit of a meta page flipped gives an error or one of the last two commits")
    func flippedMeta() throws {
        for page in 0...1 {
            for bit in 0..<152 * 8 {
                let outcome = try open { $0.bytes[page * Image.pageSize + bit / 8] ^= 1 << (bit % 8) }
                switch outcome {
                case .refused(let code): #expect(code == .damagedFile, "page \(page), bit \(bit)")
                case .failed: break
                case .read: #expect(outcome == last || outcome == lastButOne, "page \(page), bit \(bit)")
                }
            }
        }
    }

    @Test("A flipped bit in the root of the main tree, which lists the keyspaces, causes no crash")
    func flippedRoot() throws {
        let root = Int(image.load(Image.Field.mainRoot, page: image.newest))
        let upper = Int(image.bytes[root * Image.pageSize + 14]) | Int(image.bytes[root * Image.pageSize + 15]) << 8
        for byte in Array(0..<20) + Array(upper..<Image.pageSize) {
            for bit in 0..<8 {
                _ = try open { $0.bytes[root * Image.pageSize + byte] ^= 1 << bit }
            }
        }
    }

    #if os(Linux)
        @Test("A size in a damaged file is compared with the file before memory is allocated")
        func sizes() async throws {
            var image = image
            let free = Int(image.load(Image.Field.freeRoot, page: image.newest))
            // The changes make an entry of the free tree nearly 4 GiB large. It begins on page 2 of a file that seems to have
            // 512 GiB.
            let node = Int(image.load(Image.header, page: free) & 0xFFFF)
            image.store(UInt32.max - 31, node, page: free)
            image.store(UInt16(1), node + 4, page: free)
            image.store(UInt64(2), node + 16, page: free)
            for page in 0...1 { image.store(UInt64(1) << 40, Image.Field.mapSize, page: page) }
            image.store(UInt64(1) << 27, Image.Field.lastPage, page: image.newest)
            try Data(image.bytes).write(to: URL(fileURLWithPath: scratch.dataFile))
            await #expect(processExitsWith: .success) { [path = scratch.path as String] in
                try limitMemory(toAdditional: 1 << 30)
                #expect(code { _ = try Environment(directory: path, options: quick) } == .damagedFile)
            }
        }
    #endif

    @Test("A garbage lock file is replaced")
    func garbageLockFile() throws {
        try Data(repeating: 0xA5, count: 10_000).write(to: URL(fileURLWithPath: scratch.path + "/lock.mdb"))
        #expect(try open(image) == last)
    }

    @Test("A file that ends early because its last pages were freed before they were written is healthy")
    func endsEarly() throws {
        var isCovered = false
        for round in 0..<6 {
            let environment = try Environment(directory: scratch.path, options: quick)
            let rows = try environment.keyspace()
            try environment.write { transaction in
                for index in 0..<100 { try transaction.put(rows, bytes("\(index)"), bytes("\(round)")) }
                try transaction.put(rows, bytes("large"), Array(repeating: 1, count: 200_000))
                try transaction.delete(rows, bytes("large"))
            }
            let pages = try environment.information.lastPageNumber + 1
            environment.close()
            if try dataFileByteCount() < pages * Image.pageSize { isCovered = true }
        }
        #expect(isCovered, "LMDB wrote every freed page")
        _ = try Environment(directory: scratch.path, options: quick)
        #expect(truncate(scratch.dataFile, off_t(2 * Image.pageSize)) == 0)
        #expect(code { _ = try Environment(directory: scratch.path, options: quick) } == .damagedFile)
    }

    private func dataFileByteCount() throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: scratch.dataFile)).count
    }
}
