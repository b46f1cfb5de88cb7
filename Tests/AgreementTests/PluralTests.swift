import Foundation
import Testing
import TidelogAgreement

@Suite("Plurals")
struct PluralTests {
    /// Names and their plurals. Each line of the file has one pair.
    private static func vectors() throws -> [(name: String, plural: String)] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/names/plurals.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words[0], words[1])
        }
    }

    @Test("names get the plurals that the transformer gives them")
    func vectors() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count > 800)
        for (name, plural) in vectors { #expect(Plural.of(name) == plural) }
    }

    @Test("the end of a name decides its plural; irregular words and words without one count only as whole names")
    func ends() {
        #expect(Plural.of("SalesPerson") == "SalesPeople")
        #expect(Plural.of("BlogMedia") == "BlogMedias")
        #expect(Plural.of("Media") == "Media")
        #expect(Plural.of("MyThief") == "MyThiefs")
        #expect(Plural.of("ComputerMouse") == "ComputerMouses")
    }

    @Test("a plural is written as its name is: in lower case, in upper case or with an upper first letter")
    func letters() {
        #expect(["person", "Person", "PERSON"].map(Plural.of) == ["people", "People", "PEOPLE"])
        #expect(["userID", "A", "Todo2"].map(Plural.of) == ["userIDS", "AS", "Todo2s"])
        #expect(["xY", "GroupBY"].map(Plural.of) == ["xies", "GroupBIES"])
        #expect(Plural.of("") == "")
    }
}
