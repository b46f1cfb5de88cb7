import Testing
import TidelogCore

@Suite struct TextScalarTests {
    static let valid: [(TextScalar, [String])] = [
        (
            .email,
            [
                "a@b", "nobody@example.com", "first.last+tag@sub.example.co.uk", "a'b!#$%&*/=?^_`{|}~-@x-y.z",
                "1@2.3", ".a.@example.com", "A@EXAMPLE.COM", "a@" + String(repeating: "b", count: 63) + ".c",
            ]
        ),
        (
            .url,
            [
                "https://www.amazon.com/dp/B000NZW3KC/", "mailto:example@example.com", "http://localhost",
                "https://user:secret@example.com:8443/a/b?c=d//e#f//g", "ftp://[2001:db8::1]:21/x", "urn:isbn:1",
                "file:///etc/hosts", "https://example.com?x=1", "HTTP://EXAMPLE.COM:/", "https://例え.jp/é",
                "custom+app-1.0://open", "tel:+1-206-555-0100", "data:,a", "https://a/b%20c|{d}",
            ]
        ),
        (
            .phone,
            [
                "+12065550100", "+1 206-555-0100", "206-555-0100", "(206) 555-0100", "206.555.0100", "1 206 555 0100",
                "+49 30 123456", "+44 20 7946 0958", "+290 22123", "+86 138 0013 8000", "+991234567890123",
                "+44 (20) 7946 0958",
            ]
        ),
        (
            .ipAddress,
            [
                "0.0.0.0", "255.255.255.255", "123.45.67.89/16", "10.0.0.0/0", "10.0.0.1/32", "::", "::1", "1::",
                "1a2b:3c4b::1234:4567", "2001:DB8:0:0:8:800:200C:417A", "::ffff:192.0.2.1", "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8", "fe80::/10", "::/0", "::1/128", "1:2:3:4:5:6:1.2.3.4",
            ]
        ),
        (
            .json,
            [
                "{}", "[]", "null", "true", "-1.5e+10", "\"a\"", " {\"a\": [1, {\"b\": null}]}\n", "\"\\u00e9\\n\"",
                "{\"a\":1,\"a\":2}", "\"é\"",
            ]
        ),
    ]

    static let invalid: [(TextScalar, [String])] = [
        (
            .email,
            [
                "", "@", "a@", "@b", "a b@c", "a@b@c", "a@-b", "a@b-", "a@b..c", "a@.b", "a@b.", "a@b_c", "é@b", "a@é",
                "\"a b\"@c", "a@[1.2.3.4]", "a(b)@c", "a@" + String(repeating: "b", count: 64), "a\u{0}@b", "a,b@c",
            ]
        ),
        (
            .url,
            [
                "", "example.com", "//example.com/", "https:", "https://", "https:///a", "https://example.com//a",
                "https://example.com/a//b", "1http://a", ":a", "https://a b", "https://a/\u{0}", "https://a:80x/",
                "https://a:65536", "https://[::1", "https://[1]/", "https://[::1]8", "https://user@/", "mailto:a//b",
                "https://:80/", "file://", "ht tp://a", "https://a/\n",
            ]
        ),
        (
            .phone,
            [
                "", "+", "abc", "+1", "123", "12345", "+123456", "+1234567890123456", "+0123456789", "106-555-0100",
                "206-155-0100", "2065550100x1", "206-555-0100 ", " 206-555-0100", "-2065550100", "++12065550100",
                "+1 206 555 010", "206---555-0100", "(206 555-0100", "206) 555-0100", "((206)) 555-0100",
                "()2065550100",
                "206/555/0100", "٢٠٦٥٥٥٠١٠٠", "12065550100+", "3 206 555 0100",
            ]
        ),
        (
            .ipAddress,
            [
                "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.", ".1.2.3", "256.1.1.1", "01.2.3.4", "1.2.3.4/33", "1.2.3.4/",
                "1.2.3.4/01", "1.2.3.4/-1", "1.2.3.4/8/8", " 1.2.3.4", "1.2.3.4 ", ":", ":::", "1:", ":1", "1::2::3",
                "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "g::", "::1/129", "[::1]",
                "fe80::1%eth0", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6::1.2.3.4",
            ]
        ),
        (
            .json,
            [
                "", " ", "bare", "{", "[1,]", "{\"a\"}", "{a: 1}", "'a'", "01", "1 2", "nul", "\"\n\"", "\"\\x\"",
                "NaN",
                "{\"a\":1}}", "\u{feff}{}", "// c\n1",
            ]
        ),
    ]

    @Test(arguments: valid)
    func `a scalar admits texts that AppSync accepts`(_ scalar: TextScalar, _ texts: [String]) {
        for text in texts { #expect(scalar.admits(text), "\(text)") }
    }

    @Test(arguments: invalid)
    func `a scalar refuses texts that break its rule`(_ scalar: TextScalar, _ texts: [String]) {
        for text in texts { #expect(!scalar.admits(text), "\(text)") }
    }

    @Test func `AWSJSON may nest 128 levels deep, as the JSON reader allows, and no deeper`() {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(TextScalar.json.admits(nested(128)))
        #expect(!TextScalar.json.admits(nested(129)))
    }
}
