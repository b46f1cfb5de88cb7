import TestStores
import Testing
import Tidelog
import TidelogJSON

@Suite("Records on the page", .timeLimit(.minutes(5)))
struct RecordsTests {
    private static func number(_ number: Int) -> String { String(10_000 + number) }

    @Test("pages have every record once, while records are saved and deleted", arguments: Adapter.all, ["", "-rating"])
    func pages(adapter: Adapter, sort: String) async throws {
        try await withInspector(adapter) { store, visitor in
            let count = 600
            try await store.write { tx in
                for number in 0..<count {
                    try tx.save(Note(id: Self.number(number * 2), title: "kept", rating: number % 7))
                }
            }
            let writer = Task {
                var number = 1
                while !Task.isCancelled {
                    let id = Self.number(number % (2 * count) | 1)
                    try await store.save(Note(id: id, title: "other", rating: number % 7))
                    try await store.delete(Note.self, id: id)
                    number += 74
                }
            }
            var found: [String] = []
            var place = ""
            var pageCount = 0
            repeat {
                let page = try await visitor.ask(
                    "records", ["model": "Note", "sort": sort, "limit": "50", "after": place])
                found += page["rows"]?.elements.compactMap { $0["key"]?.elements.first?.text } ?? []
                place = page["next"]?.text ?? ""
                pageCount += 1
            } while !place.isEmpty
            writer.cancel()
            _ = await writer.result
            #expect(pageCount >= count / 50)
            #expect(Set(found).count == found.count, "a record is on two pages")
            #expect(Set(found).isSuperset(of: (0..<count).map { Self.number($0 * 2) }), "a record is on no page")
            if sort.isEmpty { #expect(found == found.sorted()) }
        }
    }

    @Test("a page has columns, keys, values and the plan, and the count is a question of its own")
    func page() async throws {
        try await withInspector { store, visitor in
            for number in 0..<20 {
                try await store.save(Note(id: "n\(number)", title: "t\(number)", rating: number > 2 ? number : nil))
            }
            let page = try await visitor.ask(
                "records", ["model": "Note", "where": "rating > 17", "sort": "-rating", "limit": "1"])
            #expect(page["columns"]?.elements.compactMap { $0["name"]?.text } == ["id", "title", "rating"])
            #expect(page["columns"]?.elements.map { $0["isNumber"] } == [.bool(false), .bool(false), .bool(true)])
            #expect(page["columns"]?.elements.map { $0["isKey"] } == [.bool(true), .bool(false), .bool(false)])
            #expect(page["rows"]?.elements.map { $0["cells"]?.texts ?? [] } == [["n19", "t19", "19"]])
            #expect(page["plan"]?["index"]?.text == "byRating")
            #expect(page["plan"]?["summary"]?.text == "index byRating, rating > 17, descending")
            #expect(page["next"]?.text?.isEmpty == false)
            let scan = try await visitor.ask("records", ["model": "Note", "where": #"title.contains("1")"#])
            #expect(scan["plan"]?["index"] == nil && scan["next"] == nil)
            #expect(scan["rows"]?.elements.count == 11)
            let missing = try await visitor.ask("records", ["model": "Note", "where": "rating == nil", "limit": "1"])
            #expect(missing["rows"]?.elements.first?["cells"]?.elements.last == .null)
            let count = try await visitor.ask("count", ["model": "Note", "where": "rating > 9"])
            #expect(count["count"]?.number == 10)
            #expect(try await visitor.ask("count", ["model": "Note"])["count"]?.number == 20)
        }
    }

    @Test("an error in a predicate has the place, the mark below it and the right form, as in the command line")
    func predicateErrors() async throws {
        try await withInspector { _, visitor in
            let syntax = try await visitor.refusal(400, "records", ["model": "Note", "where": "rating = 3"])
            #expect(syntax["code"]?.text == "invalidPredicate")
            #expect(syntax["message"]?.text?.hasPrefix("Predicate 1:8: expected ") == true)
            #expect(syntax["excerpt"]?.text == "  rating = 3\n         ^")
            #expect(syntax["corrected"]?.text == "rating == 3")
            let field = try await visitor.refusal(
                400, "records", ["model": "Note", "where": "id != \"\" && ratin > 3"])
            #expect(field["excerpt"]?.text == "  id != \"\" && ratin > 3\n              ^")
            #expect(field["message"]?.text?.hasPrefix("Predicate 1:13: ") == true)
            let value = try await visitor.refusal(400, "count", ["model": "Note", "where": "rating > \"a\""])
            #expect(value["code"]?.text == "invalidPredicate")
            let sort = try await visitor.refusal(400, "records", ["model": "Note", "sort": "ratin"])
            #expect(sort["message"]?.text?.contains("ratin") == true)
            #expect(try await visitor.refusal(400, "records", ["model": "Nowt"])["code"]?.text == "unknownModel")
            #expect(try await visitor.refusal(400, "records")["code"]?.text == "missingParameter")
            for place in ["%", "AAAA"] {
                #expect(try await visitor.refusal(400, "records", ["model": "Note", "after": place])["code"] != nil)
            }
            #expect(try await visitor.refusal(400, "records", ["model": "Note", "limit": "0"])["code"] != nil)
        }
    }

    @Test("a long text is cut in a cell, and characters that change the direction of writing are escapes")
    func texts() async throws {
        try await withInspector { store, visitor in
            let text = "<b>\u{202E}\n" + String(repeating: "ä", count: 5_000)
            try await store.save(Note(id: "long", title: text))
            let page = try await visitor.ask("records", ["model": "Note"])
            let cell = try #require(page["rows"]?.elements.first?["cells"]?.elements[1].text)
            #expect(cell.hasPrefix("<b>\\u202e\\nää") && cell.hasSuffix("ä…") && cell.count == 201)
            let record = try await visitor.ask("record", ["model": "Note", "key": "long"])
            let value = try #require(record["fields"]?.elements[1]["value"]?.text)
            #expect(value == "<b>\\u202e\n" + String(repeating: "ä", count: 5_000))
        }
    }
}
