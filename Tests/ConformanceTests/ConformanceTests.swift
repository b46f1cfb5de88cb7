import Testing
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogMemoryAdapter

@Suite("Conformance")
struct ConformanceTests {
    @Test("Every adapter keeps every rule", arguments: TestedAdapter.all, ConformanceKit.cases)
    func conforms(_ adapter: TestedAdapter, _ rule: ConformanceCase) throws {
        try rule.check(isPersistent: adapter.isPersistent, adapter.make)
    }

    @Test("The kit has at least 150 cases, each with a name of its own")
    func names() {
        let names = ConformanceKit.cases.map(\.name)
        #expect(names.count >= 150)
        #expect(Set(names).count == names.count)
    }

    @Test("A report lists the passed, the skipped and the failed cases")
    func report() throws {
        let report = try ConformanceKit.report(rules: ["get", "persistence"], isPersistent: false) { _ in
            InMemoryAdapter()
        }
        #expect(report.failures.isEmpty)
        #expect(report.passed.count == ConformanceKit.cases.count { $0.rule == "get" })
        #expect(report.skipped.count == ConformanceKit.cases.count { $0.rule == "persistence" })
        #expect(report.description.hasSuffix("passed, 0 failed, \(report.skipped.count) skipped"))
    }
}
