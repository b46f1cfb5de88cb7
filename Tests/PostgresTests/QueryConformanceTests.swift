import PostgresSupport
import Testing
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore
@_spi(Adapters) import TidelogMemoryAdapter

/// Queries of a database give the answers of every adapter.
@Suite("Queries of PostgreSQL", .enabled(if: PostgresCluster.isInstalled))
struct QueryConformanceTests {
    @Test("a database keeps the rules of adapters about rows and queries, except that it refuses U+0000")
    func conforms() throws {
        let report = try ConformanceKit.report(isPersistent: false) { _ in
            try DatabaseAdapter(PostgresCluster.makeDatabase())
        }
        // The test's adapter keeps checkpoints and auxiliary entries apart from the rows, and commits them a moment later.
        let others = ["auxiliary: ", "checkpoint: ", "checkpoints: ", "lifetime: ", "snapshots: "]
        let failures = report.failures.filter { failure in
            if others.contains(where: { failure.caseName.hasPrefix($0) }) { return false }
            // These two cases compare the number of the event that a row was made from.
            return ![
                "rows: a put of an equal row changes nothing but its event",
                "rows: a row knows the event it comes from",
            ].contains(failure.caseName)
                && !["22021", "22P05"].contains { failure.got.contains("sqlState: Optional(\"\($0)\")") }
        }
        #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
        #expect(report.passed.count > 390, "\(report)")
    }

    @Test("random queries have the answers of the plain model")
    func sameAnswers() throws {
        let seed = UInt64.random(in: 0...999_999_999)
        print("differential fuzzer on PostgreSQL: seed \(seed)")
        let candidates = [
            DifferentialFuzzer.Candidate("postgres") { _ in try DatabaseAdapter(PostgresCluster.makeDatabase()) },
            DifferentialFuzzer.Candidate("in memory") { _ in InMemoryAdapter() },
        ]
        let fuzzer = DifferentialFuzzer(candidates, storesZeroCharacters: false)
        let summary = try fuzzer.run(seed: seed, queryCount: 400)
        #expect(summary.queries == 400)
        #expect(summary.rows > 200, "The queries find something: \(summary)")
    }
}
