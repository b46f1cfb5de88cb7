@_spi(Adapters) internal import TidelogCore

/// Texts are bytes: no character of a text or pattern has a special meaning.
enum TextCases {
    private static let fields = [
        FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string), FieldSchema("owner", .id),
        FieldSchema("status", .enumeration("Status")),
    ]
    private static let schema = Schema.plainAndIndexed(
        fields, by: ["by_text": ["text"], "by_owner": ["owner"], "by_status": ["status"]],
        enums: [SampleType.statusEnum])

    private static func makeCase(
        _ rule: String, _ name: String, field: String = "text", texts: [String?],
        finds expected: [(QueryPredicate.Comparison, [Int])]
    ) -> ConformanceCase {
        ConformanceCase(
            rule, "text: \(name)", on: schema, field: field, values: texts.map { $0.map { .string($0) } },
            finds: expected)
    }

    static let all: [ConformanceCase] = specials + matching + folding + bytes

    /// Characters that have a special meaning in LIKE, GLOB, regular expressions, SQL or C.
    private static let specials: [ConformanceCase] = [
        "%", "_", "*", "?", "[", "]", "^", ".", "\\", "'", "\"", "\u{0}", "\n", "-", ";", "\u{E9}", "\u{1F600}",
    ].map { special in
        makeCase(
            "text-literal", "\(special.rendering) is a character like any other",
            texts: [
                "a\(special)b", "axb", special, "a", "b\(special)", "\(special)a", "a\(special)\(special)b", nil, "",
            ],
            finds: [
                (.contains(.string(special)), [0, 2, 4, 5, 6]), (.beginsWith(special), [2, 5]),
                (.beginsWith("a\(special)"), [0, 6]), (.contains(.string("\(special)b")), [0, 6]),
                (.contains(.string("a\(special)b")), [0]), (.equal(.string(special)), [2]),
                (.equal(.string("a\(special)b")), [0]), (.notContains(.string(special)), [1, 3, 7, 8]),
                (.endsWith(special), [2, 4]), (.ignoringCase(.contains, "A\(special)"), [0, 6]),
            ])
    }

    private static let matching: [ConformanceCase] = [
        makeCase(
            "text-match", "beginsWith takes texts from their start only",
            texts: ["abc", "ab", "a", "xab", "", nil, "b"],
            finds: [
                (.beginsWith("ab"), [0, 1]), (.beginsWith("abc"), [0]), (.beginsWith("abcd"), []),
                (.beginsWith("a"), [0, 1, 2]),
            ]),
        makeCase(
            "text-match", "every present text begins with the empty text and has it in it", texts: ["", "a", nil],
            finds: [
                (.beginsWith(""), [0, 1]), (.contains(""), [0, 1]), (.notContains(""), [2]), (.endsWith(""), [0, 1]),
                (.ignoringCase(.contains, ""), [0, 1]), (.ignoringCase(.equal, ""), [0]),
            ]),
        makeCase(
            "text-match", "endsWith takes texts by their end only", texts: ["abc", "bc", "c", "bcx", "", nil, "C"],
            finds: [
                (.endsWith("bc"), [0, 1]), (.endsWith("abc"), [0]), (.endsWith("xabc"), []),
                (.endsWith("c"), [0, 1, 2]),
            ]),
        makeCase(
            "text-match", "contains finds a part anywhere", texts: ["abc", "cab", "b", "", nil, "aab", "xaaby"],
            finds: [(.contains("ab"), [0, 1, 5, 6]), (.contains("c"), [0, 1]), (.contains("aab"), [5, 6])]),
        makeCase(
            "not-contains", "notContains is exactly not contains, also of missing texts", texts: ["abc", "x", "", nil],
            finds: [(.notContains("b"), [1, 2, 3]), (.notContains("x"), [0, 2, 3])]),
        makeCase(
            "text-match", "upper and lower case differ", texts: ["Abc", "abc", "ABC", "\u{C9}", "\u{E9}"],
            finds: [
                (.beginsWith("a"), [1]), (.contains("b"), [0, 1]), (.equal("ABC"), [2]), (.contains("\u{E9}"), [4]),
                (.contains("BC"), [2]),
            ]),
        makeCase(
            "text-match", "spaces at the end count", texts: ["a", "a ", " a", "a\t"],
            finds: [(.equal("a"), [0]), (.equal("a "), [1]), (.beginsWith("a "), [1]), (.contains(" "), [1, 2])]),
        makeCase(
            "text-match", "digits are text", texts: ["1", "01", "1.0", "1e0", " 1", "10"],
            finds: [(.equal("1"), [0]), (.beginsWith("1"), [0, 2, 3, 5]), (.greater("1"), [2, 3, 5])]),
        makeCase(
            "text-match", "a long text is found by its end",
            texts: [String(repeating: "x", count: 5_000) + "y", String(repeating: "x", count: 5_000), nil],
            finds: [(.contains("xy"), [0]), (.beginsWith(String(repeating: "x", count: 5_000)), [0, 1])]),
        makeCase(
            "text-match", "an ID begins and contains like any text", field: "owner",
            texts: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba", nil],
            finds: [(.beginsWith("6ba7"), [0]), (.contains("9DAD"), [1]), (.beginsWith("6ba"), [0, 2])]),
        makeCase(
            "text-match", "an enum begins and contains by its raw text", field: "status",
            texts: ["active", "ACTIVE", "b9", "b10", "_x", nil],
            finds: [(.beginsWith("b"), [2, 3]), (.contains("CT"), [1]), (.beginsWith("_"), [4])]),
        makeCase(
            "enum-order", "an enum is compared with a text that is none of its cases", field: "status",
            texts: ["active", "ACTIVE", "b9", nil],
            finds: [
                (.equal("unknown"), []), (.less("b"), [0, 1]), (.greater("az"), [2]), (.notEqual("zzz"), [0, 1, 2, 3]),
            ]),
    ]

    /// If a comparison ignores case, it uses Unicode's simple case folding.
    private static let folding: [ConformanceCase] = [
        makeCase(
            "text-folding", "letters of ASCII fold", texts: ["Abc", "abc", "ABC", "abcd", "xABC", "ab", nil, "[`{@"],
            finds: [
                (.ignoringCase(.equal, "aBC"), [0, 1, 2]), (.ignoringCase(.beginsWith, "aBC"), [0, 1, 2, 3]),
                (.ignoringCase(.endsWith, "aBC"), [0, 1, 2, 4]), (.ignoringCase(.contains, "B"), [0, 1, 2, 3, 4, 5]),
                (.ignoringCase(.equal, "{@[`"), []),
            ]),
        makeCase(
            "text-folding", "letters of every script fold, each to one",
            texts: [
                "\u{C4}", "\u{E4}", "A\u{308}", "\u{3A3}", "\u{3C3}", "\u{3C2}", "\u{414}", "\u{434}", "\u{1E9E}",
                "\u{DF}",
                "ss", "\u{10400}", "\u{10428}", "\u{212A}", "k",
            ],
            finds: [
                (.ignoringCase(.equal, "\u{E4}"), [0, 1]), (.ignoringCase(.equal, "\u{3C3}"), [3, 4, 5]),
                (.ignoringCase(.equal, "\u{414}"), [6, 7]), (.ignoringCase(.equal, "\u{DF}"), [8, 9]),
                (.ignoringCase(.equal, "SS"), [10]), (.ignoringCase(.equal, "\u{10428}"), [11, 12]),
                (.ignoringCase(.equal, "K"), [13, 14]), (.ignoringCase(.beginsWith, "a"), [2]),
            ]),
        makeCase(
            "text-folding", "a folded text may be longer or shorter than the text",
            texts: ["x\u{23A}y", "X\u{2C65}Y", "\u{212A}\u{212A}", "kk"],
            finds: [
                (.ignoringCase(.endsWith, "\u{23A}Y"), [0, 1]), (.ignoringCase(.contains, "\u{2C65}"), [0, 1]),
                (.ignoringCase(.equal, "Kk"), [2, 3]), (.ignoringCase(.endsWith, "k"), [2, 3]),
            ]),
    ]

    private static let bytes: [ConformanceCase] = [
        makeCase(
            "text-bytes", "composed and decomposed letters differ", texts: ["\u{E9}", "e\u{301}", "e"],
            finds: [
                (.equal("\u{E9}"), [0]), (.equal("e\u{301}"), [1]), (.notEqual("\u{E9}"), [1, 2]),
                (.contains("e"), [1, 2]), (.beginsWith("e"), [1, 2]), (.contains("\u{301}"), [1]),
            ]),
        makeCase(
            "text-bytes", "a part may be a piece of what readers see as one character",
            texts: ["\u{1F468}\u{200D}\u{1F469}", "\u{1F468}", "\r\n", "\n", "\u{1F1E9}\u{1F1EA}"],
            finds: [
                (.beginsWith("\u{1F468}"), [0, 1]), (.contains("\u{1F469}"), [0]), (.contains("\n"), [2, 3]),
                (.contains("\u{1F1EA}"), [4]),
            ]),
        makeCase(
            "text-order", "characters beyond the first plane come last, as their bytes do",
            texts: ["\u{FFFD}", "\u{1F600}", "\u{E000}", "\u{D7FF}", "\u{10000}"],
            finds: [
                (.greater("\u{FFFD}"), [1, 4]), (.less("\u{E000}"), [3]), (.less("\u{10000}"), [0, 2, 3]),
                (.between("\u{E000}", "\u{FFFD}"), [0, 2]),
            ]),
        makeCase(
            "text-order", "accented letters come after all of ASCII", texts: ["z", "\u{E9}", "e\u{301}", "f", "e"],
            finds: [(.greater("z"), [1]), (.between("e", "f"), [2, 3, 4]), (.less("e\u{301}"), [4])]),
        makeCase(
            "text-nul", "U+0000 ends no text", texts: ["a", "a\u{0}", "a\u{0}b", "a\u{0}c", "\u{0}", ""],
            finds: [
                (.equal("a"), [0]), (.equal("a\u{0}"), [1]), (.beginsWith("a\u{0}"), [1, 2, 3]),
                (.contains("\u{0}c"), [3]), (.greater("a\u{0}b"), [3]), (.less("a\u{0}"), [0, 4, 5]),
                (.equal("\u{0}"), [4]), (.between("a\u{0}", "a\u{0}b"), [1, 2]),
            ]),
        makeCase(
            "text-match", "a prefix of the largest characters has its range",
            texts: ["\u{10FFFF}", "\u{10FFFF}a", "\u{10FFFE}", "\u{10FFFF}\u{10FFFF}", "\u{7F}", "\u{7F}a", "\u{80}"],
            finds: [(.beginsWith("\u{10FFFF}"), [0, 1, 3]), (.beginsWith("\u{7F}"), [4, 5])]),
    ]
}
