import SeededNumbers
import Testing

@testable import TidelogPostgres

/// The rule about settled changes, for random transactions of an imagined database.
@Suite("Settled changes")
struct SettledChangesTests {
    /// A database whose transactions take numbers, write changes and end in a random order.
    private struct ImaginedDatabase {
        private(set) var next: UInt64 = 1
        private(set) var running: [UInt64: [Int64]] = [:]
        private(set) var visible: Set<Int64> = []
        private var sequence: Int64 = 0
        private var lastEnded: UInt64 = 0

        /// The numbers of the changes that running transactions have made.
        var hidden: [Int64] { running.values.flatMap { $0 } }

        /// The number after the last transaction that has ended, with which a snapshot ends.
        var end: UInt64 { lastEnded + 1 }

        var moment: SettledChanges.Moment {
            SettledChanges.Moment(
                oldest: min(running.keys.min() ?? end, end), next: next, last: visible.max() ?? 0)
        }

        mutating func begin() {
            running[next] = []
            next += 1
        }

        mutating func write(in transaction: UInt64) {
            sequence += 1
            running[transaction]?.append(sequence)
        }

        mutating func finish(_ transaction: UInt64, isCommitted: Bool) {
            let changes = running.removeValue(forKey: transaction) ?? []
            if isCommitted { visible.formUnion(changes) }
            lastEnded = max(lastEnded, transaction)
        }
    }

    /// Runs random transactions, and returns whether a change appeared at or below the settled number.
    private func misses(_ seed: UInt64, _ moment: (ImaginedDatabase) -> SettledChanges.Moment) -> Bool {
        var random = SeededGenerator(seed)
        var database = ImaginedDatabase()
        var settled = SettledChanges()
        var time = ContinuousClock.now
        for _ in 0..<200 {
            let transaction = database.running.keys.sorted().randomElement(using: &random)
            switch (random.below(10), transaction) {
            case (0..<2, _): database.begin()
            case (2..<5, let transaction?): database.write(in: transaction)
            case (5..<7, let transaction?): database.finish(transaction, isCommitted: random.below(4) > 0)
            default:
                time += .milliseconds(random.below(120))
                settled.note(moment(database), at: time)
            }
            if let last = settled.last, database.hidden.contains(where: { $0 <= last }) { return true }
        }
        while let transaction = database.running.keys.min() { database.finish(transaction, isCommitted: true) }
        settled.note(moment(database), at: time)
        #expect(settled.last == database.visible.max() ?? 0, "everything is settled at the end of all transactions")
        return false
    }

    @Test("no running transaction has a change up to the settled number")
    func rule() { for seed in 0..<UInt64(2_000) { #expect(!misses(seed) { $0.moment }, "seed \(seed)") } }

    @Test("the end of the snapshot in the place of the next number misses changes")
    func endOfSnapshot() {
        #expect(
            (0..<UInt64(200)).contains { seed in
                misses(seed) { database in
                    var moment = database.moment
                    moment.next = database.end
                    return moment
                }
            })
    }
}
