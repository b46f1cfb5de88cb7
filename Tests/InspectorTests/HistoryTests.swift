import FaultHarness
import Foundation
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogInspector
import TidelogJSON

@Suite("A record's history and the log on the page", .timeLimit(.minutes(5)))
struct HistoryTests {
    @Test("the history of a record has the values before and after each event")
    func history() async throws {
        try await withInspector { store, visitor in
            try await store.save(Note(id: "a b/c", title: "one", rating: 1))
            try await store.save(Note(id: "a b/c", title: "two"))
            try await store.delete(Note.self, id: "a b/c")
            let record = try await visitor.ask("record", ["model": "Note", "key": "a b/c"])
            #expect(record["fields"] == nil && record["isComplete"] == .bool(true))
            let events = try #require(record["history"]?.elements)
            #expect(events.map { $0["kind"]?.text } == ["saved", "saved", "deleted"])
            #expect(events.map { $0["effect"]?.text } == ["set", "changed", "removed"])
            let changes = events[1]["changes"]?.elements ?? []
            #expect(changes.map { $0["name"]?.text } == ["title", "rating"])
            #expect(changes[0]["before"]?.text == "\"one\"" && changes[0]["after"]?.text == "\"two\"")
            #expect(changes[1]["before"]?.text == "1" && changes[1]["after"] == nil)
            #expect(events[2]["changes"]?.elements.map { $0["before"]?.text } == ["\"two\""])
            #expect(try await visitor.refusal(404, "record", ["model": "Note", "key": "none"])["code"] != nil)
            #expect(try await visitor.refusal(400, "record", ["model": "Note"])["code"]?.text == "invalidKey")
            #expect(
                try await visitor.refusal(400, "record", ["model": "Note", "key": "a", "key": "b"])["code"]?.text
                    == "invalidKey")
        }
    }

    @Test("the log is read backwards in pages without gaps, also after a compaction, and of one model")
    func earlier() async throws {
        try await withInspector { store, visitor in
            for number in 0..<120 { try await store.save(Note(id: "n\(number % 40)", title: "\(number)")) }
            func all(_ limit: String, model: String = "") async throws -> [Int] {
                var found: [Int] = []
                var end = ""
                repeat {
                    let page = try await visitor.ask("log", ["upTo": end, "limit": limit, "model": model])
                    found = (page["events"]?.elements.compactMap { $0["sequence"]?.number } ?? []) + found
                    end = "\(page["after"]?.number ?? 0)"
                } while end != "0"
                return found
            }
            #expect(try await all("7") == Array(1...121))
            #expect(try await all("50", model: "Note") == Array(2...121))
            #expect(try await all("1000", model: "None") == [])
            try await store.compact()
            let kept = try await all("7")
            #expect(kept == [1] + Array(82...121) || kept == Array(82...121) || kept.count < 121)
            var remaining: [Int] = []
            for try await event in store.events(after: .zero, through: try store.head.sequence) {
                remaining.append(Int(event.sequence.value))
            }
            #expect(kept == remaining)
        }
    }

    @Test("a question that waits is answered by the next event, or after its time")
    func waiting() async throws {
        try await withInspector { store, visitor in
            let head = try store.head.sequence.value
            let quiet = try await visitor.ask("log", ["after": "\(head)", "wait": "1"])
            #expect(quiet["events"]?.elements.isEmpty == true && quiet["through"]?.number == Int(head))
            async let answer = visitor.ask("log", ["after": "\(head)", "wait": "60"])
            try await Task.sleep(for: .milliseconds(50))
            try await store.save(Note(id: "1", title: "new"))
            let events = try await answer["events"]?.elements ?? []
            #expect(events.map { $0["key"]?.texts } == [["1"]])
            #expect(events[0]["changes"]?.elements.first?["after"]?.text == "\"new\"")
        }
    }

    #if os(Linux)
        @Test(
            "events of another process come in order and once, and the rows have them", arguments: ["lmdb", "sqlite"])
        func foreign(adapter: String) async throws {
            let scratch = try Scratch()
            try FileManager.default.createDirectory(at: scratch.path(), withIntermediateDirectories: true)
            let writer = try ChildProcess(BuildProducts.url(of: "StoreWriter"), [scratch.path().path, adapter, "200"])
            #expect(try writer.readLine() == "ready")
            let store = try await DataStore.open(
                at: scratch.path(), adapter: adapter == "sqlite" ? .sqlite() : .lmdb(),
                configuration: DataStoreConfiguration(isReadOnly: true))
            let inspector = try await store.inspect()
            let visitor = try Visitor(inspector)
            let report = try await visitor.ask("store")
            #expect(report["writer"]?.text == "process \(writer.identifier) (StoreWriter)")
            #expect(try await visitor.ask("outbox")["obstacle"]?.text?.contains("reading only") == true)
            try Data().write(to: scratch.path().appendingPathComponent("go"))
            var found: [Int] = []
            while found.last != 212 {
                let page = try await visitor.ask("log", ["after": "\(found.last ?? 2)", "wait": "60", "limit": "9"])
                let new = page["events"]?.elements.compactMap { $0["sequence"]?.number } ?? []
                found += new
                let records = try await visitor.ask("records", ["model": "Note", "limit": "1"])
                #expect((records["sequence"]?.number ?? 0) >= (new.last ?? 0))
            }
            #expect(found == Array(3...212))
            #expect(try await visitor.ask("count", ["model": "Note"])["count"]?.number == 191)
            await inspector.stop()
            try await store.close()
        }
    #endif
}
