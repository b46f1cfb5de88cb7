import Testing
@_spi(Adapters) import TidelogConformance
@_spi(Adapters) import TidelogCore

/// An adapter that breaks a rule, and the name of the rule.
struct BrokenRule: Sendable, CustomStringConvertible {
    let description: String
    let rule: String
    let flaw: @Sendable () -> Flaw

    init(_ description: String, _ rule: String, _ flaw: @escaping @Sendable () -> Flaw) {
        self.description = description
        self.rule = rule
        self.flaw = flaw
    }

    private static func rewriting(
        _ description: String, _ rule: String, _ rewrite: @escaping @Sendable (QueryPredicate) -> QueryPredicate
    ) -> BrokenRule {
        BrokenRule(description, rule) { RewrittenPredicate(rewrite) }
    }

    private static func mapping(
        _ description: String, _ rule: String, _ map: @escaping @Sendable (FieldValue) -> FieldValue
    ) -> BrokenRule {
        BrokenRule(description, rule) { MappedValues(map) }
    }

    static let all = transactions + predicates + values + queries

    private static let transactions = [
        BrokenRule("checkpoint before rows", "checkpoint-with-rows") { CheckpointBeforeRows() },
        BrokenRule("non-atomic apply", "atomic-commit") { NonAtomicApply() },
        BrokenRule("stale snapshot", "snapshot-fresh") { StaleSnapshot() },
        BrokenRule("stale row without a snapshot", "snapshot-fresh") { StaleRow() },
        BrokenRule("live snapshot", "snapshot-isolation") { LiveSnapshot() },
        BrokenRule("rollback commits", "rollback") { RollbackCommits() },
        BrokenRule("transactions do not see their writes", "reads-own-writes") { BlindTransaction() },
        BrokenRule("clear keeps the checkpoint", "clear-checkpoint") { ClearKeepsCheckpoint() },
        BrokenRule("one auxiliary table for all", "auxiliary") { SharedAuxiliaryTable() },
        BrokenRule("rows forget their event", "row-sequence") { LostSequence() },
        BrokenRule("equal instants are not written", "overwrite") { EqualIsUnchanged() },
        BrokenRule("index not updated on delete", "index-after-delete") { StaleIndex(neglecting: .deletes) },
        BrokenRule("index not updated on update", "index-after-update") { StaleIndex(neglecting: .updates) },
        BrokenRule("a later index is not filled", "index-filled") { StaleIndex(neglecting: .laterIndexes) },
        BrokenRule("long texts are not in the index", "index-long-keys") { LongKeysNotIndexed() },
    ]

    private static let predicates = [
        rewriting("notContains is false on missing", "not-contains") { predicate in
            if case .field(let name, .notContains) = predicate {
                .and([.field(name, .notEqual(nil)), predicate])
            } else {
                predicate
            }
        },
        rewriting("!= is false on missing", "two-valued-logic") { predicate in
            if case .field(let name, .notEqual(_?)) = predicate {
                .and([.field(name, .notEqual(nil)), predicate])
            } else {
                predicate
            }
        },
        rewriting("lost not", "not") { predicate in
            if case .not(let member) = predicate { member } else { predicate }
        },
        rewriting("an empty list has no size", "part") { predicate in
            if case .related(let name, .field("size", .equal(0))) = predicate {
                .and([.field(name, .equal(nil)), predicate])
            } else {
                predicate
            }
        },
        rewriting("an empty or is true", "empty-group") { $0 == .or([]) ? .all : $0 },
        rewriting("% stands for any text", "text-literal") { predicate in
            if case .field(let name, .contains(.string("%"))) = predicate {
                .field(name, .notEqual(nil))
            } else {
                predicate
            }
        },
    ]

    private static let values = [
        mapping("unsigned integer order", "int-order") { value in
            if case .int(let number) = value { .int(number ^ .min) } else { value }
        },
        mapping("-0 is less than 0", "negative-zero") { value in
            if case .double(let number) = value, number == 0, number.sign == .minus {
                .double(-.leastNonzeroMagnitude)
            } else {
                value
            }
        },
        mapping("Ints are compared as Floats", "int-double-exact") { value in
            if case .int(let number) = value { .double(Double(number)) } else { value }
        },
        mapping("code-unit string order", "text-order") { value in
            guard case .string(let text) = value else { return value }
            var units = String.UnicodeScalarView()
            for unit in text.utf16 { units.append(Unicode.Scalar(0x10000 + UInt32(unit)) ?? "?") }
            return .string(String(units))
        },
        mapping("composed and decomposed are one", "text-bytes") { value in
            guard case .string(let text) = value else { return value }
            let parts = text.unicodeScalars.split(separator: "\u{E9}", omittingEmptySubsequences: false)
            return .string(parts.map { String($0) }.joined(separator: "e\u{301}"))
        },
        mapping("case does not matter", "text-match") { value in
            if case .string(let text) = value { .string(text.lowercased()) } else { value }
        },
        mapping("U+0000 ends a text", "text-nul") { value in
            guard case .string(let text) = value else { return value }
            return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix { $0 != "\u{0}" })))
        },
        mapping("temporals are compared by their text", "temporal-order") { value in
            if case .dateTime(let dateTime) = value { .string(dateTime.text) } else { value }
        },
        mapping("true comes before false", "bool-order") { value in
            if case .bool(let flag) = value { .bool(!flag) } else { value }
        },
    ]

    private static let queries = [
        BrokenRule("one place for all rows handed out", "row-lifetime") { OnePlaceForRows() },
        BrokenRule("limit before filter", "limit-after-filter") { LimitBeforeFilter() },
        BrokenRule("count ignores the page", "page-slice") { CountIgnoresPage() },
        BrokenRule("unstable page order", "stable-pages") { UnstableTies() },
        BrokenRule("ties descend", "sort-total-order") { DescendingTies() },
        BrokenRule("missing values last", "missing-first") { MissingLast() },
        BrokenRule("the key to continue after comes again", "after-key") { AfterKeyIncluded() },
    ]
}

@Suite("Broken adapters")
struct BrokenAdapterTests {
    @Test("The report of a broken adapter names the rule that the adapter breaks", arguments: BrokenRule.all)
    func fails(_ broken: BrokenRule) throws {
        let report = try ConformanceKit.report(rules: [broken.rule], isPersistent: false) { _ in
            BrokenAdapter(broken.flaw())
        }
        #expect(report.brokenRules == [broken.rule])
        let failure = try #require(report.failures.first)
        #expect(failure.description.hasPrefix("broken rule \(broken.rule): \(failure.caseName)\n"))
    }

    @Test("The wrapper for broken adapters keeps the rules if it has no flaw")
    func wrapper() throws {
        let slow: Set = ["index-long-keys", "index-same-as-scan", "big-batch"]
        let rules = Set(BrokenRule.all.map(\.rule)).subtracting(slow)
        let report = try ConformanceKit.report(rules: rules, isPersistent: false) { _ in BrokenAdapter(Flaw()) }
        #expect(report.failures.isEmpty, "\(report)")
    }

    @Test("An adapter that throws fails with its error in the report")
    func throwing() throws {
        let report = try ConformanceKit.report(rules: ["get"]) { _ in throw RowDamage("no adapter") }
        #expect(report.failures.allSatisfy { $0.got.contains("no adapter") })
        #expect(!report.failures.isEmpty)
    }
}
