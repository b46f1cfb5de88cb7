import FaultHarness
import Foundation
import Testing
import TidelogJSON
import TidelogPlatform

@Suite("tidelog inspect", .timeLimit(.minutes(5)))
struct InspectTests {
    @Test("the page shows what another process saves while it runs", arguments: ["lmdb", "sqlite"])
    func follows(adapter: String) async throws {
        let shop = try Shop(notes: 30, adapter: adapter)
        let inspect = try InspectProcess(store: shop.store)
        let page = inspect.page
        #expect(try await page.ask("count?model=Note")["count"]?.number == 30)
        let head = try #require(try await page.ask("store")["head"]?.number)
        async let news = page.ask("log?after=\(head)&wait=60")
        #expect(try shop.run("save", "Note", #"{"id":"new","title":"<script>"}"#).status == 0)
        let event = try #require(try await news["events"]?.elements.first)
        #expect(event["key"]?.elements.first?.text == "new" && event["sequence"]?.number == head + 1)
        let record = try await page.ask("record?model=Note&key=new")
        #expect(record["fields"]?.elements.first { $0["name"]?.text == "title" }?["value"]?.text == "<script>")
        #expect(try await page.ask("count?model=Note")["count"]?.number == 31)
        #expect(try inspect.stop() == 0)
        #expect(inspect.child.errorText == "")
    }

    @Test("a set-aside change is retried and discarded, and not while another process has the store open for writing")
    func decisions() async throws {
        let fleet = try Fleet.shop()
        for id in ["a", "b"] {
            try Data("{\"id\":\"\(id)\",\"title\":\"t\",\"status\":\"LOST\"}\n".utf8)
                .write(to: fleet.directory.file("notes"))
            let schema = fleet.syncArguments("a")[4]
            _ = try fleet.run("a", "import", "--schema", schema, "Note", fleet.directory.file("notes").path)
        }
        #expect(try fleet.sync("a").status == 5)
        let store = fleet.store("a")
        let inspect = try InspectProcess(store: store)
        let page = inspect.page
        let entries = try #require(try await page.ask("outbox")["entries"]?.elements)
        #expect(entries.map { $0["state"]?.text } == ["setAside", "setAside"])
        #expect(entries.allSatisfy { $0["reason"]?.text?.contains("LOST") == true })
        let numbers = entries.compactMap { $0["sequence"]?.number }

        // A process that another test starts at the same time must not inherit the lock.
        let lock = open(store + "/writer.lock", O_RDWR | O_CLOEXEC)
        #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        #expect(try await page.ask("outbox")["obstacle"]?.text?.contains("open for writing in process") == true)
        let refused = try await page.send("POST", "outbox/discard?sequence=\(numbers[0])")
        #expect(refused.status == 409 && refused.body["error"]?["code"]?.text == "locked")
        close(lock)
        #expect(try fleet.outbox("a").count == 2)

        // A question that waits continues after the store was opened for writing.
        let head = try #require(try await page.ask("store")["head"]?.number)
        async let news = page.ask("log?after=\(head)&wait=60")
        let retried = try await page.send("POST", "outbox/retry?sequence=\(numbers[0])")
        #expect(retried.status == 200 && retried.body["isDecided"]?.flag == true)
        #expect(try await news["events"]?.elements.isEmpty == false)
        let discarded = try await page.send("POST", "outbox/discard?sequence=\(numbers[1])")
        #expect(discarded.status == 200 && discarded.body["isDecided"]?.flag == true)
        #expect(try await page.ask("outbox")["obstacle"] == nil)
        #expect(try await page.ask("outbox")["entries"]?.elements.map { $0["state"]?.text } == ["pending"])
        #expect(try await page.ask("count?model=Note")["count"]?.number == 1)
        let again = try await page.send("POST", "outbox/discard?sequence=\(numbers[1])")
        #expect(again.status == 200 && again.body["isDecided"]?.flag == false)
        #expect(try inspect.stop() == 0)
        #expect(try fleet.outbox("a").map { $0["id"]?.text } == ["a"])
        try fleet.stopServer()
    }

    @Test("serve --inspect shows the server's store, and says why its outbox is empty")
    func served() async throws {
        let shop = try Shop()
        let server = try ServerProcess(shop.file("schema.graphql"), store: shop.store, ["--inspect"])
        let page = try InspectedPage(server.ready["inspector"]?.text ?? "")
        let head = try #require(try await page.ask("store")["head"]?.number)
        async let news = page.ask("log?after=\(head)&wait=60&model=Note")
        _ = try await server.ask(#"mutation { createNote(input: {id: "n", title: "a"}) { id } }"#)
        #expect(try await !(news["events"]?.elements.isEmpty ?? true))
        #expect(try await page.ask("count?model=Note")["count"]?.number == 1)
        let outbox = try await page.ask("outbox")
        #expect(outbox["isServers"]?.flag == true && outbox["entries"]?.elements.isEmpty == true)
        #expect(try await page.send("POST", "outbox/retry?sequence=1").status == 400)
        let token = server.ready["inspector"]?.text?.split(separator: "/").last ?? ""
        #expect(try server.stop() == 0)
        let written = server.child.lines.dropFirst().joined() + server.child.errorText
        #expect(!written.contains(token))
        let database = try Tool.run("serve", shop.file("schema.graphql"), "--database", "postgres://x/y", "--inspect")
        #expect(database.status == 2)
    }

    @Test("people get the address on standard output, and a store that does not exist is exit 1")
    func people() throws {
        let shop = try Shop(notes: 1)
        let child = try Tool.start(["inspect", "--store", shop.store])
        #expect(try child.readLine() == "✓ \(shop.store) is shown at")
        #expect(try child.readLine()?.hasPrefix("  http://127.0.0.1:") == true)
        child.signal(SIGINT)
        #expect(try Tool.finish(child).status == 130)
        #expect(try Tool.run("inspect", "--store", shop.file("none"), "--json").status == 1)
        #expect(try Tool.run("inspect", "--store", shop.store, "--port", "70000").status == 2)
    }
}
