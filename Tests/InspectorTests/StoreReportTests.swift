import TestStores
import Testing
import Tidelog
import TidelogJSON

@Suite("The store on the page", .timeLimit(.minutes(5)))
struct StoreReportTests {
    @Test("the report has models with counts, consumers with their lag, and the size", arguments: Adapter.all)
    func report(adapter: Adapter) async throws {
        try await withInspector(adapter) { store, visitor in
            for number in 0..<30 { try await store.save(Note(id: "n\(number % 10)", title: "\(number)")) }
            let report = try await visitor.ask("store")
            #expect(report["models"]?.elements.map { $0["name"]?.text } == ["Note"])
            #expect(report["models"]?.elements.first?["rows"]?.number == 10)
            #expect(report["head"]?.number == 31 && report["checkpoint"]?.number == 31)
            #expect(report["adapter"]?.text == adapter.factory.name)
            #expect(report["supersededCount"]?.number == 20)
            #expect(report["writer"]?.text == "this process")
            #expect((report["logBytes"]?.number ?? 0) > 0)
            #expect(report["lastEventAt"]?.text?.hasSuffix("Z") == true)
            let outbox = try #require(report["consumers"]?.elements.first { $0["name"]?.text == "outbox" })
            #expect((outbox["lag"]?.number ?? 0) >= 30)
            // A compaction drops no more than the report says. Unsent changes keep their events.
            let dropped = try await store.compact().droppedCount
            #expect(dropped <= 20)
        }
    }

    @Test("the outbox has the changes that wait, and decisions are possible in the process that writes")
    func outbox() async throws {
        try await withInspector { store, visitor in
            #expect(try await visitor.ask("outbox")["entries"]?.elements.isEmpty == true)
            for number in 0..<210 { try await store.save(Note(id: "n\(number)", title: "waits")) }
            let report = try await visitor.ask("outbox")
            #expect(report["entries"]?.elements.count == 200 && report["counts"]?["waiting"]?.number == 210)
            #expect(report["entries"]?.elements.first?["operation"]?.text == "create")
            #expect(report["entries"]?.elements.first?["state"]?.text == "pending")
            #expect(report["obstacle"] == nil)
        }
    }

    @Test("after the store was closed, every answer is an error that says so")
    func closed() async throws {
        try await withInspector { store, visitor in
            try await store.close()
            for question in ["store", "outbox", "log", "records?model=Note", "record?model=Note&key=1"] {
                let answer = try await visitor.send("GET", "api/\(question)")
                #expect(answer.status == 503, "\(question)")
                #expect(try answer.json()["error"]?["code"]?.text == "closed")
            }
        }
    }
}
