import Testing
import TidelogGraphQL

@Suite("Grammar, October 2021")
struct GrammarTests {
    @Test("What the grammar has parses, and survives printing", arguments: GrammarTable.valid)
    func validDocuments(source: String) throws {
        let document = try Document(parsing: source)
        #expect(try survivesPrinting(document))
        #expect(document.span == SourceSpan(start: 0, end: source.utf8.count))
    }

    @Test("What the grammar has not is refused", arguments: GrammarTable.invalid)
    func invalidDocuments(source: String) {
        #expect(complaint(source) != nil)
    }

    @Test("Both tables together hold at least 250 documents")
    func tablesAreLarge() {
        #expect(GrammarTable.valid.count + GrammarTable.invalid.count >= 250)
    }
}
