import Testing

@testable import TidelogSchema

@Suite("Rules of fields")
struct ValidationRuleTests {
    static let cases: [(ValidationRule.Kind, String, admitted: [FieldValue], others: [FieldValue])] = [
        (.gt, "5", [6, .double(5.5), 9_007_199_254_740_993], [5, .double(5), -1]),
        (.lt, "-0.5", [-1, .double(-0.75)], [0, .double(-0.5)]),
        (.gte, "9007199254740993", [9_007_199_254_740_993], [9_007_199_254_740_992, .double(9_007_199_254_740_992)]),
        (.lte, "1e3", [1_000, .double(1_000)], [1_001, .double(1_000.5)]),
        (.lte, "1e300", [.int(.max), .double(1e300)], [.double(1.1e300)]),
        (.minLength, "3", ["abc", "é👍", "👍a"], ["", "ab", "👍"]),
        (.maxLength, "2", ["", "ab", "👍", "éé"], ["abc", "👍a"]),
        (.minLength, "0", [""], []),
        (.startsWith, "user_", ["user_", "user_a"], ["USER_a", " user_", "use", ""]),
        (.startsWith, "", ["", "a"], []),
        (.endsWith, ".txt", ["a.txt", ".txt"], ["a.txt ", "txt", ""]),
        (.endsWith, "é", ["é"], ["e\u{301}"]),
        (.matches, "^[a-z]+$", ["abc"], ["", "Abc", "abc\n"]),
        (.matches, "[a-z]", ["1a1"], ["1"]),
    ]

    @Test("a rule admits values", arguments: cases)
    func admits(_ kind: ValidationRule.Kind, _ value: String, admitted: [FieldValue], others: [FieldValue]) throws {
        let rule = try ValidationRule(kind, value)
        for value in admitted { #expect(rule.admits(value), "\(rule) admits \(value)") }
        for value in others { #expect(!rule.admits(value), "\(rule) does not admit \(value)") }
    }

    @Test("a value of another kind breaks no rule")
    func otherKinds() throws {
        #expect(try ValidationRule(.gt, "5").admits("a"))
        #expect(try ValidationRule(.minLength, "5").admits(1))
        #expect(try ValidationRule(.matches, "x").admits(.list(["a"])))
    }

    @Test("the message of a rule is the schema's, or a sentence about the rule")
    func messages() throws {
        #expect(try ValidationRule(.gt, "5", errorMessage: "More!").message(for: "rank") == "More!")
        #expect(try ValidationRule(.gt, "5").message(for: "rank") == "rank must be greater than 5.")
        #expect(try ValidationRule(.minLength, "3").message(for: "name") == "name must have at least 3 characters.")
        #expect(try ValidationRule(.endsWith, ".txt").message(for: "file") == #"file must end with ".txt"."#)
    }

    @Test("a field's rules are its directives, with all escapes of their texts")
    func ofField() throws {
        let field = FieldSchema(
            "name", .string,
            directives: [
                #"@auth(rules: [])"#, #"@validate(type: minLength, value: "3")"#,
                #"@validate(type: matches, value: "^[\\w\"]+$", errorMessage: "say \"please\" ☺")"#,
            ])
        #expect(
            field.rules == [
                try ValidationRule(.minLength, "3"),
                try ValidationRule(.matches, #"^[\w"]+$"#, errorMessage: #"say "please" ☺"#),
            ])
    }

    static let flaws: [(FieldType, String, String)] = [
        (.string, #"@validate(type: longer, value: "3")"#, #""type" of @validate must be one of gt, lt"#),
        (.string, #"@validate(type: minLength)"#, #"@validate needs "value""#),
        (.string, #"@validate(type: minLength, value: "x")"#, "the bound of minLength must be a whole number"),
        (.string, #"@validate(type: matches, value: "a(?=b)")"#, "looks ahead"),
        (.string, #"@validate(type: gt, value: "3")"#, "gt compares Int or Float, and the field is String"),
        (.int, #"@validate(type: minLength, value: "3")"#, "minLength compares String, and the field is Int"),
        (.bool, #"@validate(type: matches, value: "3")"#, "matches compares String, and the field is Boolean"),
        (.int, #"@validate(type: gt, value: "x")"#, "the bound of gt must be a number"),
        (.int, #"@validate(type: gt"#, "cannot be read"),
        (.int, #"@validate(type: gt, value: "1") @validate(type: gt, value: "2")"#, "says gt twice"),
    ]

    @Test("a schema in Swift with a directive that is no rule is refused by name", arguments: flaws)
    func refused(_ type: FieldType, _ directive: String, _ reason: String) {
        let schema = Schema(models: [
            ModelSchema(
                name: "Note",
                fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("a", type, directives: [directive])])
        ])
        let error = #expect(throws: DataStoreError.self) { try schema.validate() }
        #expect(error?.code == .invalidSchema)
        #expect(error?.message.contains("Note.a") == true && error?.field == "a")
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
}
