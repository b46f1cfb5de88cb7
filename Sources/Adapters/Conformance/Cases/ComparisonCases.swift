@_spi(Adapters) internal import TidelogCore

/// Every comparison on every ordered type. The places of the samples define which records it must find.
enum ComparisonCases {
    static let all: [ConformanceCase] =
        SampleType.all.flatMap { sample in operators.map { makeCase(sample, $0) } }
        + SampleType.all.flatMap { [between($0), missing($0), missingNegated($0)] }
        + SampleType.all.filter { $0.classes.count > 2 }.map { boundedRange($0) }

    private struct Operator: Sendable {
        let name: String
        let finds: String
        let comparison: @Sendable (FieldValue) -> QueryPredicate.Comparison
        let holds: @Sendable (Int, Int) -> Bool
    }

    private static let operators = [
        Operator(name: "==", finds: "the equal values", comparison: { .equal($0) }, holds: { $0 == $1 }),
        Operator(name: "<", finds: "the smaller values", comparison: { .less($0) }, holds: { $0 < $1 }),
        Operator(name: "<=", finds: "the values up to it", comparison: { .lessOrEqual($0) }, holds: { $0 <= $1 }),
        Operator(name: ">", finds: "the larger values", comparison: { .greater($0) }, holds: { $0 > $1 }),
        Operator(name: ">=", finds: "the values from it", comparison: { .greaterOrEqual($0) }, holds: { $0 >= $1 }),
    ]

    private static func makeCase(_ sample: SampleType, _ tested: Operator) -> ConformanceCase {
        ConformanceCase(
            sample.rule, "comparisons: \(sample.name) \(tested.name) a value finds exactly \(tested.finds)",
            with: sample
        ) { subject, table in
            for (rank, values) in sample.classes.enumerated() {
                for value in values {
                    try check(
                        .field("value", tested.comparison(value)), table, subject,
                        finds: table.ids { member in member.map { tested.holds($0, rank) } ?? false })
                }
            }
        }
    }

    private static func between(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            sample.rule, "comparisons: \(sample.name) between takes both ends, and nothing where they are crossed",
            with: sample
        ) { subject, table in
            for (lower, lowerValue) in sample.values.enumerated() {
                for (upper, upperValue) in sample.values.enumerated() where upper <= lower + 3 && upper >= lower - 1 {
                    try check(
                        .field("value", .between(lowerValue, upperValue)), table, subject,
                        finds: table.ids { member in member.map { $0 >= lower && $0 <= upper } ?? false })
                }
            }
        }
    }

    private static func missing(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            "missing-comparison",
            "comparisons: \(sample.name) == nil finds the missing values, != nil the present ones",
            with: sample
        ) { subject, table in
            try check(.field("value", .equal(nil)), table, subject, finds: table.ids { $0 == nil })
            try check(.field("value", .notEqual(nil)), table, subject, finds: table.ids { $0 != nil })
        }
    }

    private static func missingNegated(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            "two-valued-logic",
            "comparisons: \(sample.name) != and negated comparisons are the exact opposite, also of missing values",
            with: sample
        ) { subject, table in
            for (rank, value) in sample.values.enumerated() {
                try check(.field("value", .notEqual(value)), table, subject, finds: table.ids { $0 != rank })
                for tested in operators {
                    let expected = table.ids { member in !(member.map { tested.holds($0, rank) } ?? false) }
                    try check(.not(.field("value", tested.comparison(value))), table, subject, finds: expected)
                }
                let crossed = QueryPredicate.field("value", .between(value, value))
                try check(!crossed, table, subject, finds: table.ids { $0 != rank })
            }
        }
    }

    private static func boundedRange(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            sample.rule, "comparisons: \(sample.name) ranges of two bounds find exactly what lies between",
            with: sample
        ) { subject, table in
            for (lower, lowerValue) in sample.values.enumerated() {
                for (upper, upperValue) in sample.values.enumerated() where upper == lower + 2 {
                    let range: QueryPredicate =
                        .field("value", .greater(lowerValue)) && .field("value", .less(upperValue))
                    try check(range, table, subject, finds: table.ids { $0 == lower + 1 })
                    try check(
                        .field("value", .less(lowerValue)) || .field("value", .greater(upperValue)), table, subject,
                        finds: table.ids { member in member.map { $0 < lower || $0 > upper } ?? false })
                }
            }
        }
    }

    private static func check(
        _ predicate: QueryPredicate, _ table: SampleTable, _ subject: Subject, finds expected: [String]
    ) throws {
        try subject.read { scope in
            for model in SampleTable.models {
                try scope.expectIDs(predicate, on: model, gives: expected)
            }
        }
    }
}

extension ConformanceCase {
    /// A case that saves `values` in `field` under the ids 00, 01 … of each model. It checks the ids that each comparison
    /// finds, and that its opposite finds the other ids.
    init(
        _ rule: String, _ name: String, on schema: Schema, field: String, values: [FieldValue?],
        finds expected: [(QueryPredicate.Comparison, [Int])]
    ) {
        @Sendable func id(_ index: Int) -> String { index < 10 ? "0\(index)" : "\(index)" }
        let models = schema.models.map(\.name)
        self.init(rule, name, on: schema) { subject in
            for model in models {
                try subject.save(
                    values.enumerated().map { index, value in
                        var record = Record(model: model, values: ["id": .string(id(index))])
                        record[field] = value
                        return record
                    })
            }
            try subject.read { scope in
                for (comparison, indices) in expected {
                    for model in models {
                        try scope.expectIDs(.field(field, comparison), on: model, gives: indices.map(id))
                        let others = values.indices.filter { !indices.contains($0) }.map(id)
                        try scope.expectIDs(.not(.field(field, comparison)), on: model, gives: others)
                    }
                }
            }
        }
    }
}

extension ReadScope {
    /// Checks that `predicate` finds exactly the records with `ids`, in key order, and that their count is correct.
    func expectIDs(_ predicate: QueryPredicate, on model: String, gives ids: [String]) throws {
        let hint = "\(model) where \(predicate.rendering)"
        try expect(try self.ids(model, where: predicate), ids, hint)
        try expect(try count(model, where: predicate), ids.count, "The count of \(hint)")
    }
}
