import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct PredicateTextTests {
    @Test func `the text of a predicate parses to the same predicate, which prints the same text again`() throws {
        var generator = SeededGenerator(71)
        for _ in 0..<5_000 {
            let predicate = generator.predicate()
            let text = predicate.text
            let parsed = try QueryPredicate(parsing: text)
            #expect(parsed == predicate, "\(text)")
            #expect(parsed.text == text)
        }
    }

    @Test(arguments: [
        (#"name == "x""#, QueryPredicate.field("name", .equal("x"))),
        ("a!=1", .field("a", .notEqual(1))), ("a<1", .field("a", .less(1))), ("a<=1", .field("a", .lessOrEqual(1))),
        ("a>-1", .field("a", .greater(-1))), ("a >= 1.5e3", .field("a", .greaterOrEqual(1_500.0))),
        ("capital == nil", .field("capital", .equal(nil))), ("capital != nil", .field("capital", .notEqual(nil))),
        ("a == true || a == false", .or([.field("a", .equal(true)), .field("a", .equal(false))])),
        (#"name.beginsWith("San")"#, .field("name", .beginsWith("San"))),
        (#"name . contains ( "San" )"#, .field("name", .contains("San"))),
        (#"tags.notContains(3)"#, .field("tags", .notContains(3))),
        (#"name.endsWith("o")"#, .field("name", .endsWith("o"))), (#"name.equals("x")"#, .field("name", .equal("x"))),
        (#"name.equals("x", ignoringCase: true)"#, .field("name", .ignoringCase(.equal, "x"))),
        (#"name.beginsWith("x",ignoringCase:true)"#, .field("name", .ignoringCase(.beginsWith, "x"))),
        (#"name.endsWith("x", ignoringCase: false)"#, .field("name", .endsWith("x"))),
        (#"name.contains("x", ignoringCase: true)"#, .field("name", .ignoringCase(.contains, "x"))),
        (#"name.in(["x", "y"])"#, .or([.field("name", .equal("x")), .field("name", .equal("y"))])),
        ("rank.in([])", .or([])),
        (#"home.city == "x""#, .related("home", .field("city", .equal("x")))),
        ("home.point.height > 2", .related("home", .related("point", .field("height", .greater(2))))),
        ("home.point.height == nil", .not(.related("home", .related("point", .field("height", .notEqual(nil)))))),
        ("home.rank.in([1])", .or([.related("home", .field("rank", .equal(1)))])),
        ("home.places.any(rank == 1)", .related("home", .related("places", .field("rank", .equal(1))))),
        ("population.between(1, 5)", .field("population", .between(1, 5))),
        (
            #"population > 1000000 && (name.beginsWith("San") || !(capital == nil))"#,
            .and([
                .field("population", .greater(1_000_000)),
                .or([.field("name", .beginsWith("San")), .not(.field("capital", .equal(nil)))]),
            ])
        ),
        (
            "a == 1 || b == 2 && c == 3",
            .or([.field("a", .equal(1)), .and([.field("b", .equal(2)), .field("c", .equal(3))])])
        ),
        (#"!!name.contains("x")"#, .not(.not(.field("name", .contains("x"))))),
        (#"a == [1, "a", nil, []]"#, .field("a", .equal(.list([1, "a", nil, .list([])])))),
        (#"a == {"city": "x", "size": {}}"#, .field("a", .equal(.embedded(["city": "x", "size": .embedded([:])])))),
        ("true", .all), ("false", .or([])), ("all()", .and([])), ("any()", .or([])),
        ("true == 1", .field("true", .equal(1))), ("(((a == 1)))", .field("a", .equal(1))),
        (" \t\n a\r\n== 1 ", .field("a", .equal(1))), (#"`a b\u0060`== 1"#, .field("a b`", .equal(1))),
        ("a == 9223372036854775807", .field("a", .equal(.int(.max)))),
        ("a == -9223372036854775808", .field("a", .equal(.int(.min)))),
        (#"a == "\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\ude00""#, .field("a", .equal("\"\\/\u{8}\u{C}\n\r\tAé😀"))),
    ])
    func `each form of text parses to the predicate that the same expression in Swift gives`(
        text: String, predicate: QueryPredicate
    ) throws {
        #expect(try QueryPredicate(parsing: text) == predicate)
    }

    @Test func `a parsed number stays whole or floating-point and keeps its exact value`() throws {
        for (text, value) in [
            ("9007199254740993", FieldValue.int(9_007_199_254_740_993)), ("9007199254740992.0", .double(0x1p53)),
            ("0.1", .double(0.1)), ("5e-324", .double(.leastNonzeroMagnitude)), ("1E2", .double(100)),
            ("-0.0", .double(-0.0)), ("1e+16", .double(1e16)), ("007", .int(7)),
            ("9223372036854775807", .int(.max)), ("9223372036854775808", .double(0x1p63)),
            ("123456789012345680000", .double(123_456_789_012_345_683_968)), ("-9223372036854775808", .int(.min)),
        ] {
            guard case .field(_, .equal(let parsed?)) = try QueryPredicate(parsing: "a == \(text)") else {
                Issue.record("\(text) is no comparison")
                continue
            }
            #expect(parsed.exact == value.exact)
        }
    }

    @Test func `a temporal constant prints as a quoted text, and parses as a text`() throws {
        let predicate = QueryPredicate.field("day", .less(.date(try Temporal.Date("2026-11-21Z"))))
        #expect(predicate.text == #"day < "2026-11-21Z""#)
        #expect(try QueryPredicate(parsing: predicate.text) == .field("day", .less("2026-11-21Z")))
    }

    @Test func `canonically equivalent texts with different bytes are different constants`() {
        #expect(QueryPredicate.field("a", .beginsWith("é")) != .field("a", .beginsWith("e\u{301}")))
        #expect(QueryPredicate.field("a", .equal("é")) != .field("a", .equal("e\u{301}")))
    }

    @Test(arguments: [
        ("", "1:1: expected a field, ( or !"), ("a", "1:2: expected ==, !=, <, <=, >, >= or ."),
        ("a = 1", "1:3: expected ==, !=, <, <=, >, >= or ."), ("a == ", "1:6: expected a value"),
        ("a == active", "1:6: expected a value"), ("a < nil", "1:5: expected a value that is not nil"),
        ("a == 1 b == 2", "1:8: expected &&, || or the end"), ("(a == 1", "1:8: expected &&, || or )"),
        ("a == 1 &&", "1:10: expected a field, ( or !"), ("a == 1 & b == 2", "1:8: expected &&, || or the end"),
        ("!a == 1", "1:2: expected parentheses around a negated comparison"),
        (
            "a.startsWith(\"x\")",
            "1:3: expected equals, beginsWith, endsWith, contains, notContains, between, in or any"
        ),
        ("a.beginsWith(1)", "1:14: expected a text in double quotes"), ("a.between(1)", "1:12: expected ,"),
        ("a.contains(1", "1:13: expected )"), ("a == \"x", "1:8: expected \""),
        ("a == \"\n\"", "1:7: expected an escape in place of a control character"),
        (#"a == "\x""#, "1:8: expected one of "), (#"a == "\u12G4""#, "1:11: expected 4 hexadecimal digits"),
        (#"a == "\ud800""#, "1:8: expected a pair of surrogates"),
        (#"a == "\ud800\u0041""#, "1:8: expected a pair of surrogates"),
        (#"a == "\udc00""#, "1:8: expected a pair of surrogates"),
        ("a == 1e999", "1:6: expected a finite number"),
        ("a == 1" + String(repeating: "0", count: 400), "1:6: expected a finite number"),
        ("a == 1.", "1:8: expected a digit"),
        ("a == -", "1:7: expected a digit"), ("a == .5", "1:6: expected a value"),
        ("a == [1, 2", "1:11: expected , or ]"), ("a == {\"x\": 1, \"x\": 2}", "1:15: expected a name that was not"),
        ("a == {x: 1}", "1:7: expected a text in double quotes"), ("a == {\"x\": nil}", "1:12: expected a value that"),
        ("\"é\" == 1", "1:1: expected a field"), ("é == 1", "1:1: expected a field"),
        ("a == \"é\"\n  && b = 1", "2:8: expected =="), ("a == \"😀\" x", "1:10: expected &&, || or the end"),
        ("a == 'x'", "1:6: expected a value"), ("a == null", "1:6: expected a value"),
        ("all(a == 1", "1:11: expected , or )"), (")", "1:1: expected a field, ( or !"),
    ])
    func `a text that is no predicate is refused, and the error names the place and what was expected`(
        text: String, expected: String
    ) {
        let error = #expect(throws: PredicateSyntaxError.self) { try QueryPredicate(parsing: text) }
        #expect(error?.description.hasPrefix(expected) == true, "\(text): \(error?.description ?? "")")
    }

    @Test func `a text nests as deep as the limit, and one that nests deeper is refused, however deep`() throws {
        let many = 1_000_000
        for (start, opening) in [("", "("), ("", "!"), ("", "!("), ("", "all("), ("a == ", "["), ("a == ", "{\"x\":")] {
            #expect(throws: PredicateSyntaxError.self) {
                try QueryPredicate(parsing: start + String(repeating: opening, count: many))
            }
        }
        let deepest = PredicateCompiler.maximumDepth
        let text = String(repeating: "(", count: deepest) + "a == 1" + String(repeating: ")", count: deepest)
        #expect(try QueryPredicate(parsing: text) == .field("a", .equal(1)))
        #expect(throws: PredicateSyntaxError.self) { try QueryPredicate(parsing: "(" + text + ")") }
    }

    @Test func `the text of a predicate that is as deep as the limit parses to the same predicate`() throws {
        var predicate = QueryPredicate.field("id", .equal("1"))
        for depth in 0..<PredicateCompiler.maximumDepth {
            switch depth % 4 {
            case 0: predicate = .not(predicate)
            case 1: predicate = .and([predicate])
            case 2: predicate = .or([predicate, predicate == .all ? .all : .or([])])
            default: predicate = .and([.all, predicate])
            }
        }
        _ = try RowPredicate(predicate, for: SampleSchema.layout())
        #expect(try QueryPredicate(parsing: predicate.text) == predicate)
    }

    @Test func `random sequences of tokens parse or give a syntax error, and never cause a trap`() {
        var generator = SeededGenerator(72)
        let pieces = [
            "a", "==", "!=", "<", "(", ")", "!", "&&", "||", "\"x\"", "\"", "\\u", "d800", "1", "-", ".", "e", "[", "]",
            "{",
            "}", ",", ":", "`", "nil", "true", "all(", ".contains(", " ", "\n", "é", "\u{0}",
        ]
        var parsed = 0
        for _ in 0..<20_000 {
            let text = (0..<generator.below(10)).map { _ in generator.pick(pieces) }.joined()
            if let predicate = try? QueryPredicate(parsing: text) {
                parsed += 1
                #expect((try? QueryPredicate(parsing: predicate.text)) == predicate)
            }
        }
        #expect(parsed > 0)
    }
}
