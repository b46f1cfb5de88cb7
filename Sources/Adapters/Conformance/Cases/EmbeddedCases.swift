@_spi(Adapters) internal import TidelogCore

/// Predicates on embedded values. Their fields compare in the same way as fields of the record itself.
enum EmbeddedCases {
    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Person",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("home", .embedded("Address")),
                    FieldSchema("places", .list(.embedded("Address"), elementIsRequired: false)),
                    FieldSchema("age", .int),
                ], indexes: [IndexSchema(name: "byAge", fields: ["age"])])
        ],
        embeddedTypes: [
            EmbeddedSchema(
                name: "Address",
                fields: [
                    FieldSchema("city", .string, isRequired: true), FieldSchema("number", .int),
                    FieldSchema("point", .embedded("Point")),
                ]),
            EmbeddedSchema(name: "Point", fields: [FieldSchema("height", .double), FieldSchema("day", .date)]),
        ])

    private static func address(_ city: String, _ number: Int64? = nil, height: Double? = nil) -> FieldValue {
        var values: [String: FieldValue] = ["city": .string(city)]
        values["number"] = number.map { .int($0) }
        values["point"] = height.map { .embedded(["height": .double($0), "day": "2026-11-22"]) }
        return .embedded(values)
    }

    private static let people: [(home: FieldValue?, places: [FieldValue?]?)] = [
        (address("Rome", 1, height: 21), [address("Rome", 1), address("Oslo", 2)]),
        (address("Oslo", 2), [address("Rome", 2), address("Oslo", 1)]), (address("rome"), []), (nil, nil),
        (address("Oslo", nil, height: 23.5), [nil, address("Rome", nil, height: 9)]),
    ]

    private static let expected: [(QueryPredicate, [Int])] = [
        (.related("home", .field("city", .equal("Oslo"))), [1, 4]),
        (.related("home", .field("city", .ignoringCase(.equal, "ROME"))), [0, 2]),
        (.related("home", .field("number", .greaterOrEqual(2))), [1]),
        (.related("home", .field("number", .equal(nil))), [2, 4]),
        (.not(.related("home", .field("number", .notEqual(nil)))), [2, 3, 4]),
        (.related("home", .all), [0, 1, 2, 4]), (.field("home", .equal(nil)), [3]),
        (.related("home", .related("point", .field("height", .greater(21)))), [4]),
        (.related("home", .related("point", .field("day", .lessOrEqual("2026-11-22")))), [0, 4]),
        (.related("home", .or([.field("number", .equal(1)), .field("city", .beginsWith("r"))])), [0, 2]),
        (.related("places", .field("city", .equal("Rome")) && .field("number", .equal(1))), [0]),
        (.related("places", .field("city", .equal("Rome"))), [0, 1, 4]),
        (.related("places", .related("point", .field("height", .less(10)))), [4]),
        (.related("places", .all), [0, 1, 4]),
        (.related("home", .field("city", .equal("Oslo"))) && .field("age", .less(3)), [1]),
        (.related("home", .or((0..<20).map { .field("number", .equal(.int($0))) })), [0, 1]),
    ]

    static let all: [ConformanceCase] = [
        ConformanceCase("embedded", "embedded: predicates look into embedded values and lists of them", on: schema) {
            subject in
            try subject.save(
                people.enumerated().map { index, person in
                    var record = Record(
                        model: "Person", values: ["id": .string("\(index)"), "age": .int(Int64(index))])
                    record["home"] = person.home
                    record["places"] = person.places.map { .list($0) }
                    return record
                })
            try subject.readBoth { scope in
                for (predicate, indices) in expected {
                    try scope.expectIDs(predicate, on: "Person", gives: indices.map { "\($0)" })
                    let others = people.indices.filter { !indices.contains($0) }
                    try scope.expectIDs(.not(predicate), on: "Person", gives: others.map { "\($0)" })
                    let page = Page(offset: 1, limit: 1)
                    let part = indices.reversed().dropFirst().prefix(1).map { "\($0)" }
                    try expect(
                        try scope.ids(
                            "Person", where: predicate, sort: Sort([.init("age", isDescending: true)]), page: page),
                        part, "A page where \(predicate.rendering).")
                }
            }
        }
    ]
}
