@_spi(Adapters) internal import TidelogCore

/// Lists, embedded values and temporals in predicates.
enum ValueCases {
    static let all: [ConformanceCase] = SampleType.all.map(listContains) + lists + embedded + temporals

    private static func makeCase(
        _ rule: String, _ name: String, of type: FieldType, values: [FieldValue?],
        finds expected: [(QueryPredicate.Comparison, [Int])]
    ) -> ConformanceCase {
        ConformanceCase(rule, "values: \(name)", on: schema(type), field: "value", values: values, finds: expected)
    }

    private static func schema(_ type: FieldType) -> Schema {
        Schema(
            models: [
                ModelSchema(
                    name: "Holder", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("value", type)])
            ],
            embeddedTypes: [
                EmbeddedSchema(
                    name: "Place",
                    fields: [
                        FieldSchema("name", .string), FieldSchema("height", .double), FieldSchema("tags", texts),
                        FieldSchema("inner", .embedded("Inner")), FieldSchema("since", .dateTime),
                    ]),
                EmbeddedSchema(name: "Inner", fields: [FieldSchema("n", .int), FieldSchema("flag", .bool)]),
            ], enums: [SampleType.statusEnum])
    }

    private static let texts = FieldType.list(.string, elementIsRequired: false)
    private static let ints = FieldType.list(.int, elementIsRequired: false)
    private static let doubles = FieldType.list(.double, elementIsRequired: false)

    private static func listContains(_ sample: SampleType) -> ConformanceCase {
        let values = sample.values
        let first = values[0]
        let last = values[values.count - 1]
        return makeCase(
            "list-contains", "contains finds an element of [\(sample.name)], notContains is its exact opposite",
            of: .list(sample.type, elementIsRequired: false),
            values: [
                .list([first]), .list([last]), .list([last, first, last]), .list([]), nil, .list([nil]),
                .list([nil, first]),
            ],
            finds: [
                (.contains(first), [0, 2, 6]), (.contains(last), [1, 2]), (.notContains(first), [1, 3, 4, 5]),
                (.notContains(last), [0, 3, 4, 5, 6]), (.equal(.list([first])), [0]), (.equal(.list([])), [3]),
            ])
    }

    private static let lists: [ConformanceCase] = [
        makeCase(
            "list-equality", "lists are equal element by element, in order", of: ints,
            values: [
                .list([1, 2]), .list([2, 1]), .list([1, 2, 2]), .list([]), nil, .list([1, nil]), .list([nil, 1]),
                .list([nil]),
            ],
            finds: [
                (.equal(.list([1, 2])), [0]), (.notEqual(.list([1, 2])), [1, 2, 3, 4, 5, 6, 7]),
                (.equal(.list([])), [3]),
                (.equal(.list([1, nil])), [5]), (.equal(.list([nil])), [7]), (.equal(nil), [4]),
                (.notEqual(nil), [0, 1, 2, 3, 5, 6, 7]),
            ]),
        makeCase(
            "list-contains", "an element is a whole text, not a part of one", of: texts,
            values: [.list(["abc"]), .list(["a", "b", "c"]), .list(["ab"]), .list([""]), .list([])],
            finds: [(.contains("a"), [1]), (.contains("ab"), [2]), (.contains(""), [3]), (.contains("abc"), [0])]),
        makeCase(
            "text-bytes", "elements are compared by their bytes", of: texts,
            values: [.list(["\u{E9}"]), .list(["e\u{301}"]), .list(["a\u{0}"]), .list(["a"])],
            finds: [
                (.contains("\u{E9}"), [0]), (.equal(.list(["e\u{301}"])), [1]), (.contains("a"), [3]),
                (.equal(.list(["a\u{0}"])), [2]),
            ]),
        makeCase(
            "int-double-exact", "an Int in a list is found by an equal Float only", of: ints,
            values: [.list([.int(9_007_199_254_740_993)]), .list([.int(9_007_199_254_740_992)]), .list([1])],
            finds: [(.contains(.double(0x1p53)), [1]), (.contains(.double(1)), [2]), (.contains(.double(1.5)), [])]),
        makeCase(
            "negative-zero", "a list with 0 contains -0", of: doubles,
            values: [.list([.double(0)]), .list([.double(-0.0)]), .list([.double(1)])],
            finds: [
                (.contains(.double(-0.0)), [0, 1]), (.contains(.double(0)), [0, 1]), (.contains(.int(0)), [0, 1]),
                (.equal(.list([.double(-0.0)])), [0, 1]),
            ]),
        makeCase(
            "list-contains", "a list of lists contains a list", of: .list(ints, elementIsRequired: false),
            values: [
                .list([.list([1, 2])]), .list([.list([2, 1]), .list([1])]), .list([.list([])]), .list([]), nil,
                .list([nil]),
            ],
            finds: [
                (.contains(.list([1, 2])), [0]), (.contains(.list([1])), [1]), (.contains(.list([])), [2]),
                (.notContains(.list([])), [0, 1, 3, 4, 5]),
                (.equal(.list([.list([2, 1]), .list([1])])), [1]),
            ]),
        makeCase(
            "list-contains", "a list of a thousand elements is searched to its end", of: ints,
            values: [.list((0..<1_000).map { .int($0) }), .list((0..<999).map { .int($0) })],
            finds: [(.contains(999), [0]), (.contains(0), [0, 1]), (.contains(1_000), [])]),
        makeCase(
            "list-contains", "a list of embedded values contains one",
            of: .list(.embedded("Inner"), elementIsRequired: false),
            values: [.list([inner(1, true)]), .list([inner(1, nil), inner(2, false)]), .list([]), nil],
            finds: [
                (.contains(inner(1, true)), [0]), (.contains(inner(1, nil)), [1]), (.contains(inner(2, nil)), []),
                (.notContains(inner(1, true)), [1, 2, 3]),
            ]),
    ]

    private static func inner(_ number: Int64?, _ flag: Bool?) -> FieldValue {
        var values: [String: FieldValue] = [:]
        values["n"] = number.map { .int($0) }
        values["flag"] = flag.map { .bool($0) }
        return .embedded(values)
    }

    private static let embedded: [ConformanceCase] = [
        makeCase(
            "embedded-equality", "embedded values are equal field by field, missing ones too", of: .embedded("Inner"),
            values: [inner(1, true), inner(1, false), inner(1, nil), inner(nil, nil), nil],
            finds: [
                (.equal(inner(1, true)), [0]), (.equal(inner(1, nil)), [2]), (.equal(inner(nil, nil)), [3]),
                (.notEqual(inner(1, true)), [1, 2, 3, 4]), (.equal(nil), [4]), (.notEqual(nil), [0, 1, 2, 3]),
            ]),
        makeCase(
            "embedded-equality", "nested values and lists take part", of: .embedded("Place"),
            values: [
                .embedded(["name": "a", "tags": .list(["x"]), "inner": inner(1, true)]),
                .embedded(["name": "a", "tags": .list(["y"]), "inner": inner(1, true)]),
                .embedded(["name": "a", "tags": .list(["x"]), "inner": inner(2, true)]),
                .embedded(["name": "a", "tags": .list(["x"])]), nil,
            ],
            finds: [
                (.equal(.embedded(["name": "a", "tags": .list(["x"]), "inner": inner(1, true)])), [0]),
                (.equal(.embedded(["name": "a", "tags": .list(["x"])])), [3]),
                (.notEqual(.embedded(["name": "a", "tags": .list(["x"])])), [0, 1, 2, 4]),
            ]),
        makeCase(
            "embedded-equality", "values inside compare as they do outside", of: .embedded("Place"),
            values: [
                .embedded(["name": "\u{E9}", "height": .double(-0.0)]),
                .embedded(["name": "e\u{301}", "height": .double(0)]),
                .embedded(["since": sample(SampleType.dateTime, 3, 0)]),
                .embedded(["since": sample(SampleType.dateTime, 3, 1)]),
            ],
            finds: [
                (.equal(.embedded(["name": "\u{E9}", "height": .double(0)])), [0]),
                (.equal(.embedded(["since": sample(SampleType.dateTime, 3, 2)])), [2, 3]),
            ]),
    ]

    private static func sample(_ type: SampleType, _ rank: Int, _ member: Int) -> FieldValue {
        type.classes[rank][member]
    }

    private static let temporals: [ConformanceCase] = [
        (SampleType.date, "2024-02-29"), (SampleType.time, "10:30"), (SampleType.dateTime, "2026-11-21T12:30:00+02:00"),
    ].map { sample, text in
        let rank =
            sample.classes.firstIndex { $0.contains { $0.temporalText?.utf8.elementsEqual(text.utf8) ?? false } } ?? 0
        let values = sample.classes.flatMap { $0 }
        let ranks = sample.classes.enumerated().flatMap { rank, values in values.map { _ in rank } }
        return makeCase(
            "temporal-order", "\(sample.name) is compared with a text by the instant it names", of: sample.type,
            values: values,
            finds: [
                (.equal(.string(text)), ranks.indices.filter { ranks[$0] == rank }),
                (.less(.string(text)), ranks.indices.filter { ranks[$0] < rank }),
                (.greaterOrEqual(.string(text)), ranks.indices.filter { ranks[$0] >= rank }),
            ])
    }
}
