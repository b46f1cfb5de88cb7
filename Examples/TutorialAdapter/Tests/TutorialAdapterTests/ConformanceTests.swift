import Testing
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TutorialAdapter

@Suite("TutorialAdapter")
struct ConformanceTests {
    @Test("the adapter keeps every rule", arguments: ConformanceKit.cases)
    func keeps(_ rule: ConformanceCase) throws {
        try rule.check(isPersistent: false) { _ in TutorialAdapter() }
    }

    @Test("random queries on random rows are answered as a plain model answers them")
    func answersAlike() throws {
        let candidate = DifferentialFuzzer.Candidate("tutorial") { _ in TutorialAdapter() }
        let summary = try DifferentialFuzzer([candidate]).run(seed: 1, queryCount: 1_000)
        #expect(summary.rows > 0)
    }
}
