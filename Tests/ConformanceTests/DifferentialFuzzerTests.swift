import Foundation
import Testing
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore

@Suite("Differential fuzzer")
struct DifferentialFuzzerTests {
    private static let candidates = TestedAdapter.all.map {
        DifferentialFuzzer.Candidate($0.description, make: $0.make)
    }

    /// A number from the environment. `TIDELOG_FUZZ_QUERIES` is the number of queries, and `TIDELOG_FUZZ_SEED` is the seed.
    private static func setting(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test("All adapters give the same answers as the plain model")
    func sameAnswers() throws {
        let seed = Self.setting("TIDELOG_FUZZ_SEED") ?? .random(in: 0...999_999_999)
        let count = Int(Self.setting("TIDELOG_FUZZ_QUERIES") ?? 600)
        print("differential fuzzer: seed \(seed), \(count) queries")
        let summary = try DifferentialFuzzer(Self.candidates).run(seed: seed, queryCount: count)
        #expect(summary.queries == count)
        #expect(summary.rows > count / 2, "The queries find something: \(summary)")
    }

    @Test("Equal seeds give equal runs")
    func repeatable() throws {
        let fuzzer = DifferentialFuzzer(Self.candidates, queriesPerSchema: 40)
        #expect(try fuzzer.run(seed: 5, queryCount: 80) == fuzzer.run(seed: 5, queryCount: 80))
    }

    @Test(
        "The fuzzer finds broken adapters and names the seed",
        arguments: BrokenRule.all.filter {
            ["not-contains", "not", "int-order", "limit-after-filter"].contains($0.rule)
        })
    func finds(_ broken: BrokenRule) throws {
        let candidate = DifferentialFuzzer.Candidate("broken") { _ in BrokenAdapter(broken.flaw()) }
        let failure = #expect(throws: ConformanceFailure.self) {
            try DifferentialFuzzer([candidate]).run(seed: 1, queryCount: 3_000)
        }
        #expect(failure?.rule == "same-answers")
        #expect(failure?.caseName.contains("seed ") ?? false)
    }
}
