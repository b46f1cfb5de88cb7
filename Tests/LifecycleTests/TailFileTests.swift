import FaultHarness
import Foundation
import SeededNumbers
import TestStores
import Testing
import TidelogPlatform

@testable import TidelogCore

@Suite("A file of the tail")
struct TailFileTests {
    private let scratch: Scratch
    private let header = TailHeader(store: StoreID(high: 1, low: 2), incarnation: 7, uptime: "uptime")

    init() throws { scratch = try Scratch() }

    private func file(maximumByteCount: Int = 1 << 20) throws -> (file: TailFile, path: String) {
        let directory = scratch.path("files")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let path = directory.appending(path: "tail-1").path
        return (try TailFile(path, header: header, maximumByteCount: maximumByteCount, isSynced: true), path)
    }

    private func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    @Test("blocks, parts of blocks and zeros are in the file as they were written, with direct writes and without")
    func writes() throws {
        var random = SeededGenerator(1)
        let block = TailFormat.blockByteCount
        for maximumByteCount in [1 << 20, 1 << 20 | 8] {
            let (file, path) = try file(maximumByteCount: maximumByteCount)
            let begunDirect = file.isDirect
            var expected = try contents(path)
            #expect(Array(expected.prefix(TailFormat.fileHeaderByteCount)) == header.bytes)
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * block, alignment: block)
            defer { memory.deallocate() }
            for _ in 0..<40 {
                for index in memory.indices { memory[index] = .random(in: 0...255, using: &random) }
                let (first, count) = (Int.random(in: 0..<250, using: &random), Int.random(in: 1...4, using: &random))
                let (offset, byteCount) = (first * block, count * block)
                try file.lengthen(to: offset + byteCount)
                if expected.count < offset + byteCount {
                    let grown = try contents(path)
                    #expect(grown.starts(with: expected) && grown.dropFirst(expected.count).allSatisfy { $0 == 0 })
                    expected = grown
                }
                try file.write(UnsafeRawBufferPointer(rebasing: memory[..<byteCount]), at: offset)
                expected.replaceSubrange(offset..<offset + byteCount, with: memory[..<byteCount])
                let erased = offset + Int.random(in: 0..<byteCount - 100, using: &random)
                try file.erase(at: erased, count: 100)
                expected.replaceSubrange(erased..<erased + 100, with: repeatElement(0, count: 100))
                #expect(try contents(path) == expected)
            }
            #expect(file.isDirect == begunDirect && (!file.isDirect || maximumByteCount == 1 << 20))
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("a file whose device refuses a direct write is written without direct writes from then on")
    func refused() throws {
        let (file, path) = try file()
        let block = TailFormat.blockByteCount
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * block, alignment: block)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 9)
        // A device with larger blocks refuses a block as each device refuses bytes that do not begin at a block.
        let part = UnsafeRawBufferPointer(rebasing: memory[1..<101])
        try file.write(part, at: 3 * block + 1)
        #expect(!file.isDirect)
        try file.write(part, at: 5 * block + 7)
        let bytes = try contents(path)
        #expect(bytes[3 * block + 1..<3 * block + 101].allSatisfy { $0 == 9 } && bytes[3 * block + 101] == 0)
        #expect(bytes[5 * block + 7..<5 * block + 107].allSatisfy { $0 == 9 } && bytes[5 * block] == 0)
    }
}
