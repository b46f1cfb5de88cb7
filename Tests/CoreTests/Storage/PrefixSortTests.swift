import SeededNumbers
import Testing
import TidelogCore

@Suite struct PrefixSortTests {
    private struct Entry: Equatable {
        let prefix: UInt64
        let rest: Int

        static func precedes(_ left: Self, _ right: Self) -> Bool {
            left.prefix == right.prefix ? left.rest < right.rest : left.prefix < right.prefix
        }
    }

    private func expectSorted(_ prefixes: [UInt64]) {
        let entries = ContiguousArray(prefixes.enumerated().map { Entry(prefix: $1, rest: $0 * 7_919 % 1_000) })
        var (sorted, scratch) = (entries, ContiguousArray<Entry>())
        // The second sort uses the scratch memory of the first one again.
        for _ in 0..<2 {
            sorted = entries
            sorted.sort(byPrefix: { $0.prefix }, using: &scratch, Entry.precedes)
            #expect(sorted == ContiguousArray(entries.sorted(by: Entry.precedes)))
        }
    }

    @Test(arguments: [0, 1, 2, 63, 64, 65, 1_000, 70_000])
    func `any number of random prefixes is sorted as a comparison sort does`(count: Int) {
        var generator = SeededGenerator(UInt64(count))
        expectSorted((0..<count).map { _ in UInt64.random(in: 0 ... .max, using: &generator) })
    }

    @Test(arguments: 0..<64)
    func `prefixes that share their upper bits or differ in few bits are sorted as a comparison sort does`(shift: Int) {
        var generator = SeededGenerator(UInt64(shift))
        let common = UInt64.random(in: 0 ... .max, using: &generator)
        expectSorted((0..<500).map { _ in common &+ UInt64.random(in: 0..<9, using: &generator) << UInt64(shift) })
    }

    @Test func `prefixes that are nearly all equal are sorted as a comparison sort does`() {
        var generator = SeededGenerator(1)
        expectSorted((0..<3_000).map { $0 % 500 == 0 ? UInt64.random(in: 0 ... .max, using: &generator) : 42 })
    }

    @Test func `rising, falling and equal prefixes are sorted as a comparison sort does`() {
        expectSorted((0..<1_000).map { UInt64($0) })
        expectSorted((0..<1_000).map { UInt64(1_000 - $0) })
        expectSorted((0..<1_000).map { _ in 7 })
    }

    @Test func `the scratch memory of a longer sort does not change the result of a shorter one`() {
        var scratch = ContiguousArray<Entry>()
        for count in [5_000, 64, 300, 5_000, 100] {
            var generator = SeededGenerator(UInt64(count))
            let entries = ContiguousArray(
                (0..<count).map { Entry(prefix: UInt64.random(in: 0 ... .max, using: &generator), rest: $0) })
            var sorted = entries
            sorted.sort(byPrefix: { $0.prefix }, using: &scratch, Entry.precedes)
            #expect(sorted == ContiguousArray(entries.sorted(by: Entry.precedes)))
        }
    }
}
