import Foundation
import SeededNumbers
import Testing
import TidelogCore
import TidelogPlatform

/// Compares the text scalars with the checks of the system.
@Suite struct TextScalarPropertyTests {
    /// Texts near `seeds`. Characters of `alphabet` are inserted or replace other characters, and some characters are
    /// removed.
    private func texts(_ count: Int, seed: UInt64, near seeds: [String], alphabet: String) -> [String] {
        var generator = SeededGenerator(seed)
        let characters = Array(alphabet)
        return (0..<count).map { _ in
            var text = Array(generator.pick(seeds))
            for _ in 0..<generator.below(4) {
                let place = generator.below(text.count + 1)
                switch generator.below(3) {
                case 0: text.insert(generator.pick(characters), at: place)
                case 1 where place < text.count: text.remove(at: place)
                case _ where place < text.count: text[place] = generator.pick(characters)
                default: break
                }
            }
            return String(text)
        }
    }

    /// The texts for which `scalar` and `isExpected` disagree. At least `minimum` of the texts must be valid.
    private func mismatches(
        _ scalar: TextScalar, _ texts: [String], minimum: Int, _ isExpected: (String) -> Bool
    ) -> [String] {
        let valid = Set(texts.filter(isExpected))
        #expect(valid.count >= minimum)
        return texts.filter { scalar.admits($0) != valid.contains($0) }
    }

    @Test func `a text is an IP address exactly if the system's parser accepts it`() {
        let seeds = [
            "192.168.1.20", "255.0.10.1", "2001:db8::8a2e:370:7334", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4",
        ]
        let texts = texts(20_000, seed: 1, near: seeds, alphabet: "0123456789abcdefg.:: ")
        let mismatches = mismatches(.ipAddress, texts, minimum: 2_000) { text in
            var buffer = in6_addr()
            return inet_pton(text.contains(":") ? AF_INET6 : AF_INET, text, &buffer) == 1
        }
        #expect(mismatches == [])
    }

    @Test func `a text is an email address exactly if the pattern of Amplify's transformer matches`() throws {
        let label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
        let pattern = try Regex("[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@\(label)(?:\\.\(label))*")
        let seeds = ["nobody@example.com", "a.b+c@d-e.f", "x@y", "a'b@c.d.e"]
        let texts = texts(4_000, seed: 2, near: seeds, alphabet: "ab0.-@_+! ,\"é(){}|~`^")
        let mismatches = mismatches(.email, texts, minimum: 400) { $0.wholeMatch(of: pattern) != nil }
        #expect(mismatches == [])
    }

    @Test func `a text without trailing commas is JSON exactly if Foundation reads it`() {
        let seeds = [#"{"a": [1, 2.5e3, null]}"#, #"["x", true, {"b": "\u00e9\n"}]"#, "-0.1", "[[[]]]"]
        let texts = texts(4_000, seed: 3, near: seeds, alphabet: "{}[]:,\"\\01eE+-. ntx").filter { text in
            !text.isEmpty && text.firstMatch(of: /,\s*[\]}]/) == nil
        }
        let mismatches = mismatches(.json, texts, minimum: 100) { text in
            (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
        }
        #expect(mismatches == [])
    }

    @Test func `the grouping of a phone number's digits does not change whether the number is valid`() {
        var generator = SeededGenerator(4)
        let pairs = (0..<4_000).map { _ in
            let digits = (0..<(5 + generator.below(13))).map { _ in String(generator.below(10)) }
            let plus = generator.once(in: 2) ? "+" : ""
            var grouped = plus + digits[0]
            for digit in digits.dropFirst() {
                grouped += generator.once(in: 3) ? generator.pick([" ", "-", "."]) + digit : digit
            }
            return (plain: plus + digits.joined(), grouped: grouped)
        }
        #expect(pairs.filter { TextScalar.phone.admits($0.plain) != TextScalar.phone.admits($0.grouped) }.isEmpty)
        #expect(pairs.filter { TextScalar.phone.admits($0.plain) }.count > 1_000)
    }

    @Test func `an empty part in the path makes a URL invalid, and one in the fragment does not`() {
        let seeds = ["https://user@example.com:80/a/b?c=d#e", "ftp://a.b/c", "http://[::1]/x", "file:///a"]
        let urls = texts(4_000, seed: 5, near: seeds, alphabet: "/:?#[]@ab0.%é ").filter { TextScalar.url.admits($0) }
        #expect(urls.count > 1_000)
        for url in urls {
            let path = url.prefix { !"?#".contains($0) }
            guard path.contains("://") else { continue }
            if TextScalar.url.admits(path + "/a//b") { Issue.record("\(path)") }
            if !TextScalar.url.admits(url + (url.contains("#") ? "//" : "#//")) { Issue.record("\(url)") }
        }
    }
}
