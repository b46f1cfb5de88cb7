import Foundation
import SeededNumbers
import Testing

@testable import TidelogSchema

@Suite("Patterns of texts", .timeLimit(.minutes(5)))
struct TextPatternTests {
    private static func matches(_ pattern: String, _ text: String) throws -> Bool {
        var text = text
        let pattern = try TextPattern(pattern)
        return text.withUTF8 { pattern.matches(UnsafeRawBufferPointer($0)) }
    }

    static let cases: [(pattern: String, matching: [String], others: [String])] = [
        (
            "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$", ["test@example.com"],
            ["not-an-email", "a@b.c", "a@b.com\n"]
        ),
        (
            "^\\+?[1-9]\\d{0,2}-\\d{3}-\\d{3}-\\d{4}$", ["+1-123-456-7890", "49-123-456-7890"],
            ["123abc", "+01-123-456-7890"]
        ),
        (
            "^https?://[\\w.-]+\\.[a-zA-Z]{2,}$", ["https://aws.amazon.com", "http://a_b.de"],
            ["not-a-url", "https://a.b/"]
        ),
        ("^[a-zA-Z0-9\\s-]+$", ["a 1-b", "\t"], ["", "a_b", "ä"]),
        ("^[A-Za-z0-9+_.-]+@(.+)$", ["a@b", "a@😀"], ["@b", "a@"]),
        ("b", ["abc", "b"], ["", "ac"]),
        ("", ["", "a"], []),
        ("^$", [""], ["a", "\n"]),
        ("^a|b$", ["ax", "xb", "b"], ["xa", "bx"]),
        ("^(?:a|bc)*$", ["", "a", "abcbc"], ["b", "acb"]),
        ("^(?<year>\\d{4})-(\\d\\d)$", ["2026-11"], ["2026-1"]),
        ("^a{2}b{1,2}c{0,}?d??$", ["aab", "aabbccd"], ["ab", "aabbb", "aabdd"]),
        ("^(a*)*b$", ["b", "aab"], ["aa"]),
        ("^(a|)+$", ["", "aa"], ["b"]),
        ("^.$", ["a", "é", "字", "😀"], ["", "ab", "\n", "\r", "\u{2028}", "\u{85}"]),
        ("^[^a-z]$", ["A", "é", "😀", "\n"], ["a", "zz"]),
        ("^[é-ü😀]$", ["é", "ü", "😀"], ["e", "😁"]),
        ("^\\D\\W\\S$", ["a-a", "éé😀"], ["1-a", "aaa", "a- "]),
        ("^[\\D]$", ["a"], ["1"]),
        ("^[^\\D5]$", ["1"], ["a", "5"]),
        ("^[\\w-]$", ["-", "a"], ["."]),
        ("^[a\\-z]$", ["-", "a", "z"], ["b"]),
        ("^[.*+?^$(){}|/]+$", [".*+?^$(){}|/"], ["a"]),
        ("^\\^\\.\\*\\\\\\/\\[\\]$", ["^.*\\/[]"], ["a"]),
        ("^\\x41\\u00e9\\x{1F600}\\t\\n\\r\\f\\v\\0$", ["Aé😀\t\n\r\u{C}\u{B}\0"], ["A"]),
        ("^\\p{Lu}\\p{L}+\\P{L}$", ["Äöü1", "Ωμέγα "], ["äöü1", "Äöüx"]),
        ("^[\\p{Nd}_]+$", ["1٣_"], ["a"]),
        ("\\bcat\\b", ["cat", "a cat.", "é cat é"], ["cats", "_cat"]),
        ("\\Bat\\z", ["cat"], ["at", "cats"]),
        ("\\Aab", ["abc"], ["cab"]),
        ("}]", ["}]"], ["}"]),
    ]

    @Test("a pattern matches a part of a text", arguments: cases)
    func matching(pattern: String, matching: [String], others: [String]) throws {
        for text in matching { #expect(try Self.matches(pattern, text), "\(pattern) matches \(text)") }
        for text in others { #expect(try !Self.matches(pattern, text), "\(pattern) does not match \(text)") }
    }

    static let refused: [(String, String)] = [
        ("a(?=b)", "\"(?=\" looks ahead"), ("a(?!b)", "\"(?!\" looks ahead"), ("(?<=a)b", "\"(?<=\" looks back"),
        ("(?<!a)b", "\"(?<!\" looks back"), ("(a)\\1", "\"\\1\" repeats a group"),
        ("(?<n>a)\\k<n>", "\"\\k\" repeats"),
        ("(?>a)", "an atomic group"), ("a++", "\"++\" is possessive"), ("a{2}+", "\"}+\" is possessive"),
        ("(?i)a", "\"(?\" begins a flag"), ("(a", "\"(\" has no \")\""), ("a)", "closes no group"),
        ("[a", "\"[\" has no \"]\""), ("[]", "contains no character"), ("[z-a]", "ends before it begins"),
        ("[a[b]]", "stands inside a class"), ("[a&&b]", "\"&&\" stands inside a class"),
        ("*a", "nothing stands before \"*\""),
        ("a**", "nothing stands before \"*\""), ("a{", "begins no count"), ("a{,2}", "begins no count"),
        ("a{2,1}", "a count ends before it begins"), ("a{1001}", "repeats more than 1000 times"),
        ("a{99999999999999999999}", "repeats more than 1000 times"), ("(a{1000}){3}", "repeats too much"),
        ("\\", "ends with a backslash"), ("\\Q", "\"\\Q\" is unknown"), ("\\xZZ", "hexadecimal"),
        ("\\p{Greek}", "no general category"),
        ("\\p{Lu", "has no \"}\""), ("(?<n", "the name of a group has no end"),
        (String(repeating: "(", count: 60) + String(repeating: ")", count: 60), "nest too deep"),
    ]

    @Test(
        "a pattern that no time limit holds for, or that is malformed, is refused with the reason", arguments: refused)
    func refusals(pattern: String, reason: String) {
        let refusal = #expect(throws: TextPattern.Refusal.self) { _ = try TextPattern(pattern) }
        #expect(refusal?.reason.contains(reason) == true, "\(refusal?.reason ?? "none")")
    }

    @Test(
        "a text that was made to keep other engines busy for ever is matched in one pass",
        arguments: ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(a*)*b$", "^(.*a){20}$"])
    func hostile(pattern: String) throws {
        #expect(try !Self.matches(pattern, String(repeating: "a", count: 5_000) + "!"))
    }

    @Test("a part that matches nothing can be repeated in many levels")
    func emptyParts() throws {
        let pattern = (0..<20).reduce("") { text, _ in "(\(text)){1000}" }
        #expect(try Self.matches("^\(pattern)$", ""))
        #expect(try !Self.matches("^\(pattern)$", "a"))
    }

    @Test("random patterns match the same texts as with Foundation", arguments: 0..<4 as Range<UInt64>)
    func secondOpinion(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        for _ in 0..<100 {
            let pattern = Self.pattern(&random, depth: 3)
            let other = try NSRegularExpression(pattern: pattern)
            for _ in 0..<8 {
                let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    ["a", "b", "c", "é", "-", "1"].randomElement(using: &random) ?? "a"
                }.joined()
                let range = NSRange(text.startIndex..., in: text)
                #expect(
                    try Self.matches(pattern, text) == (other.firstMatch(in: text, range: range) != nil),
                    "the pattern \(pattern) and the text \(text)")
            }
        }
    }

    private static func pattern(_ random: inout SeededGenerator, depth: Int) -> String {
        let atoms = ["a", "b", "c", ".", "[ab]", "[^a]", "\\d", "\\S", "é", "^", "$"]
        guard depth > 0 else { return atoms.randomElement(using: &random) ?? "a" }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "(\(pattern(&random, depth: depth - 1))|\(pattern(&random, depth: depth - 1)))"
        case 1:
            let count = ["*", "+", "?", "{2}", "{1,2}", "{0,3}"].randomElement(using: &random) ?? "*"
            return "(?:\(pattern(&random, depth: depth - 1)))\(count)"
        default:
            return (0..<Int.random(in: 1...3, using: &random)).map { _ in pattern(&random, depth: depth - 1) }.joined()
        }
    }
}
