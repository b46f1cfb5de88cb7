import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct PredicateAdviceTests {
    @Test(arguments: [
        ("title = x", #"Write == for "equal"."#, #"title == "x""#),
        ("title=\"x\"", #"Write == for "equal"."#, #"title=="x""#),
        ("rank === 1", #"Write == for "==="."#, "rank == 1"), ("rank !== 1", #"Write != for "!=="."#, "rank != 1"),
        ("rank <> 1", #"Write != for "not equal"."#, "rank != 1"),
        ("rank => 1", #"Write >= for "greater or equal"."#, "rank >= 1"),
        ("rank =< 1", #"Write <= for "less or equal"."#, "rank <= 1"),
        ("rank gte 1", #"Write >= for "gte"."#, "rank >= 1"),
        ("rank is null", #"Write == for "is"."#, "rank == nil"),
        ("rank IS NOT NULL", #"Write != for "is not"."#, "rank != nil"),
        ("title == 'x'", "Texts are in double quotes.", #"title == "x""#),
        ("title == 'say \"x\"'", "Texts are in double quotes.", #"title == "say \"x\"""#),
        ("title == “x”", "Texts are in double quotes.", #"title == "x""#),
        (
            "title == x && rank = 2", "Texts, and the cases of enums, are in double quotes.",
            #"title == "x" && rank == 2"#
        ),
        ("status == .active", "The case of an enum is a text in double quotes.", #"status == "active""#),
        ("rank == 1_000_000", "Numbers have only digits, without separators.", "rank == 1000000"),
        ("rank > 1,000,000 and a == 1", "Numbers have only digits, without separators.", "rank > 1000000 && a == 1"),
        ("rank == .5", "A number begins with a digit.", "rank == 0.5"),
        ("rank == +5", "Positive numbers have no sign.", "rank == 5"),
        ("day > 2026-11-01", "Dates and times are in double quotes.", #"day > "2026-11-01""#),
        ("id == 12ab", "Texts are in double quotes.", #"id == "12ab""#),
        ("id == 9f8e-12", "Texts are in double quotes.", #"id == "9f8e-12""#),
        ("done == True", "Write true or false.", "done == true"),
        ("rank == NULL", "Write nil for a missing value.", "rank == nil"),
        ("a == 1 and b == 2", #"Write && for "and"."#, "a == 1 && b == 2"),
        ("a == 1 OR b == 2", #"Write || for "or"."#, "a == 1 || b == 2"),
        ("a == 1 & b == 2", #"Write && for "and"."#, "a == 1 && b == 2"),
        ("a == \"x\", b == 2", "Write && between conditions.", #"a == "x" && b == 2"#),
        ("not a == 1 and b == 2", #"Write !(…) for "not"."#, "!(a == 1) && b == 2"),
        ("rank in [1, 2]", #"Write field.in([1, 2]) for "in"."#, "rank.in([1, 2])"),
        ("(home.rank IN (1,2))", #"Write field.in([1, 2]) for "in"."#, "(home.rank.in([1,2]))"),
        ("rank not in (1)", #"Write !field.in([1, 2]) for "not in"."#, "!rank.in([1])"),
        ("rank.in [1, 2]", "A list of values is in parentheses: .in([1, 2]).", "rank.in([1, 2])"),
        ("rank.in(1, 2)", "A list of values is in brackets: .in([1, 2]).", "rank.in([1, 2])"),
        ("rank between 1 and 5", "Write field.between(1, 5), which includes both ends.", "rank.between(1, 5)"),
        ("title contains 'x'", #"Write field.contains("…") for "contains"."#, #"title.contains("x")"#),
        ("title.startsWith(\"x\")", "Write .beginsWith for .startsWith.", #"title.beginsWith("x")"#),
        ("title.beginWith(\"x\")", "Did you mean .beginsWith?", #"title.beginsWith("x")"#),
        ("\"title\" == \"x\"", "The name of a field has no quotation marks.", #"title == "x""#),
    ])
    func `a common mistake gets advice, and the whole predicate in its right form`(
        text: String, advice: String, corrected: String
    ) throws {
        let error = try #require(throws: PredicateSyntaxError.self) { try QueryPredicate(parsing: text) }
        #expect(error.advice == advice)
        #expect(error.corrected == corrected)
        #expect(throws: Never.self) { try QueryPredicate(parsing: corrected) }
        #expect(!error.description.contains(advice))
    }

    @Test(arguments: [
        ("title like \"x%\"", true), ("1 == rank", true), ("rank in 1", true), ("a == b c d", true),
        ("", false), ("title", false), ("a == ", false), ("!a == 1", false), ("a == 1 b == 2", false),
        ("(a == 1", false),
        ("a == \"x", false), ("😀", false), ("a == 'é", true), ("a == '", true), ("a in", true), ("a not", false),
    ])
    func `a mistake whose correction is not clear gets at most advice`(text: String, hasAdvice: Bool) throws {
        let error = try #require(throws: PredicateSyntaxError.self) { try QueryPredicate(parsing: text) }
        #expect((error.advice != nil) == hasAdvice, "\(error.advice ?? "")")
        if text != "a == 'é", text != "a == '" { #expect(error.corrected == nil) }
    }

    @Test func `every text of a few mistaken words is answered with an error or a predicate`() {
        let words = [
            "a", "=", "==", "in", "[1", "1]", "(", ")", "not", "and", "'x'", "\"", "1_0", ",", ".", "between", "é", "&",
            "is", "nil",
        ]
        for first in words {
            for second in words {
                for third in words {
                    let text = "a \(first) \(second)\(third)"
                    do { _ = try QueryPredicate(parsing: text) } catch {
                        if let corrected = error.corrected {
                            #expect(throws: Never.self, "\(text)") { try QueryPredicate(parsing: corrected) }
                        }
                    }
                }
            }
        }
    }

    @Test func `an unknown field is refused with the most similar name, also inside of an embedded value`() throws {
        let model = try SampleSchema.layout()
        let message = { (predicate: QueryPredicate) in
            #expect(throws: DataStoreError.self) { try RowPredicate(predicate, for: model) }?.message
        }
        #expect(message(.field("titel", .equal("x"))) == "The model Sample has no field titel; did you mean \"title\"?")
        #expect(message(.field("weather", .equal("x"))) == "The model Sample has no field weather.")
        #expect(
            message(.related("place", .field("ctiy", .equal("x"))))
                == "The model Sample has no field place.ctiy; did you mean \"place.city\"?")
        #expect(message(.related("plce", .field("city", .equal("x"))))?.hasSuffix("did you mean \"place\"?") == true)
        let sort = #expect(throws: DataStoreError.self) { try StorageQuery(model: model, sort: Sort([.init("titel")])) }
        #expect(sort?.message == "The model Sample has no field titel to sort by; did you mean \"title\"?")
    }
}
