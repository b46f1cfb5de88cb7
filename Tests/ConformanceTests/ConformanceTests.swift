import Testing
import TidelogConformance

@Suite("Conformance")
struct ConformanceTests {
    @Test("Every adapter keeps every rule", arguments: TestedAdapter.all, ConformanceKit.cases)
    func conforms(_ adapter: TestedAdapter, _ rule: ConformanceCase) throws {
        try rule.check(adapter.make)
    }

    @Test("The kit has at least 150 cases, each with a name of its own")
    func names() {
        let names = ConformanceKit.cases.map(\.name)
        #expect(names.count >= 150)
        #expect(Set(names).count == names.count)
    }

    @Test("A report lists what passed, what was skipped and what failed")
    func report() throws {
        let report = try ConformanceKit.report(TestedAdapter.all[0].make)
        #expect(report.failures.isEmpty)
        #expect(report.skipped.allSatisfy { $0.hasPrefix("persistence: ") })
        #expect(report.passed.count + report.skipped.count == ConformanceKit.cases.count)
    }
}
