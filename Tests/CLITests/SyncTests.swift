import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog sync", .timeLimit(.minutes(10)))
struct SyncTests {
    private static let world = repository.appending(path: "Examples/World")

    @Test("after edits without the server and a sync, three devices have the same cities and countries")
    func world() async throws {
        let fleet = try Fleet(Self.world.appending(path: "schema.graphql").path)
        let schema = Self.world.appending(path: "schema.graphql").path
        for (model, file) in [("Country", "countries"), ("City", "cities")] {
            let path = Self.world.appending(path: "\(file).ndjson").path
            _ = try fleet.run("a", "import", "--schema", schema, "--durability", "relaxed", model, path)
        }
        let first = try fleet.synced("a")
        #expect(first["sent"]?.number == 34_258 && first["pending"]?.number == 0)
        let filled = try fleet.synced("b", ["--adapter", "sqlite", "--durability", "relaxed"])
        #expect(filled["received"]?.number == 34_258 && filled["sent"]?.number == 0)
        #expect(filled["queries"]?["City"]?.text == "base")
        #expect(try fleet.export("a", "City") == fleet.export("b", "City"))

        try fleet.stopServer()
        // Both devices change one city. Each device also changes another city, deletes a country and its cities, and
        // creates a city. Device `b` changes a city of the country that device `a` deletes.
        _ = try fleet.run("a", "save", "--patch", "City", #"{"id":"1275339","population":1}"#)
        _ = try fleet.run("b", "save", "--patch", "City", #"{"id":"1275339","name":"Bombay"}"#)
        _ = try fleet.run("a", "save", "--patch", "City", #"{"id":"1273294","population":2}"#)
        _ = try fleet.run("b", "save", "--patch", "City", #"{"id":"1277333","population":3}"#)
        _ = try fleet.run("a", "delete", "Country", "LI")
        _ = try fleet.run("b", "save", "--patch", "City", #"{"id":"3042030","population":4}"#)
        _ = try fleet.run("b", "delete", "Country", "MC")
        let new = #","population":5,"latitude":1.5,"longitude":2.5,"timezone":"UTC","countryID":"FR"}"#
        _ = try fleet.run("a", "save", "City", #"{"id":"new-a","name":"A""# + new)
        _ = try fleet.run("b", "save", "City", #"{"id":"new-b","name":"B""# + new)
        let offline = try fleet.sync("a", ["--timeout", "1"])
        #expect(offline.status == 5)
        #expect(try offline.error()["code"]?.text == "unreachable")
        #expect(try offline.object()["pending"]?.number ?? 0 > 0)
        #expect(try fleet.sync("c", ["--timeout", "1"]).status == 1)

        try fleet.startServer()
        for device in ["a", "b", "a", "b"] { _ = try fleet.sync(device) }
        _ = try fleet.synced("c")
        let cities = try fleet.export("a", "City")
        #expect(try cities == fleet.export("b", "City"))
        #expect(try cities == fleet.export("c", "City"))
        #expect(try fleet.export("a", "Country") == fleet.export("c", "Country"))
        #expect(try fleet.export("b", "Country") == fleet.export("c", "Country"))
        for deleted in [#""countryID":"LI""#, #""countryID":"MC""#] { #expect(!cities.contains(deleted)) }
        let both = try JSONValue(
            parsing: Array(Tool.run("get", "--store", fleet.store("c"), "City", "1275339", "--json").output.utf8))
        // If the record has changed on the server, Auto Merge keeps the scalars of the server. The first change
        // therefore wins.
        #expect(both["name"]?.text == "Mumbai" && both["population"]?.number == 1)
        for city in ["new-a", "new-b"] { #expect(cities.contains("\"\(city)\"")) }
        // The only change that may be set aside is the change of a city that the other device deleted.
        #expect(try fleet.outbox("a").isEmpty)
        #expect(try fleet.outbox("b").allSatisfy { $0["id"]?.text == "3042030" && $0["state"]?.text == "setAside" })
    }

    @Test("a first sync that is killed ten times resumes at its page; after a restart of the server it begins again")
    func resumed() async throws {
        let fleet = try Fleet.shop()
        try Data(Shop.notes(0..<2_000).utf8).write(to: fleet.directory.file("notes"))
        _ = try fleet.run(
            "a", "import", "--schema", fleet.syncArguments("a")[4], "Note", fleet.directory.file("notes").path)
        _ = try fleet.synced("a")
        let arguments = ["--page-size", "50", "--durability", "relaxed"]
        var pages = 0
        /// Reads lines of the server until it has returned this number of pages of notes.
        func waitForPages(_ count: Int) throws {
            while pages < count, let line = try fleet.server.child.readLine() {
                if line.contains("\"syncNotes\"") { pages += 1 }
            }
        }
        // The sync of the first device requested one page.
        try waitForPages(1)
        pages = 0
        for kill in 1...10 {
            let child = try Tool.start(fleet.syncArguments("b", arguments))
            try waitForPages(kill * 3)
            child.signal(SIGKILL)
            _ = try child.wait()
        }
        let report = try fleet.synced("b", arguments)
        #expect(report["queries"]?["Note"]?.text == "base" || report["queries"]?["Note"]?.text == "delta")
        #expect(try fleet.export("a", "Note") == fleet.export("b", "Note"))
        // Each killed sync may have requested a page or two that it did not append. After a resumed base query, a delta
        // query follows.
        try fleet.stopServer()
        while let line = try fleet.server.child.readLine() { if line.contains("\"syncNotes\"") { pages += 1 } }
        #expect(pages >= 40 && pages <= 40 + 2 * 10 + 2, "\(pages) pages")

        try fleet.startServer()
        pages = 0
        let child = try Tool.start(fleet.syncArguments("c", arguments))
        try waitForPages(3)
        child.signal(SIGKILL)
        _ = try child.wait()
        try fleet.stopServer()
        // The new server does not accept the page tokens of the old one.
        try fleet.startServer()
        _ = try fleet.synced("c", arguments)
        #expect(try fleet.export("a", "Note") == fleet.export("c", "Note"))
    }

    @Test("a refused change can be listed, retried and discarded, and does not block a thousand other changes")
    func refused() throws {
        let fleet = try Fleet.shop()
        let bad = #"{"id":"bad","title":"refused","status":"LOST"}"# + "\n"
        try Data((bad + Shop.notes(0..<1_000)).utf8).write(to: fleet.directory.file("notes"))
        let schema = fleet.syncArguments("a")[4]
        _ = try fleet.run("a", "import", "--schema", schema, "Note", fleet.directory.file("notes").path)
        let waiting = try fleet.outbox("a")
        #expect(waiting.count == 1_001 && waiting.allSatisfy { $0["state"]?.text == "pending" })
        #expect(waiting[0]["id"]?.text == "bad" && waiting[0]["operation"]?.text == "create")

        let first = try fleet.sync("a")
        #expect(first.status == 5, "\(first.errors)")
        #expect(try first.object()["sent"]?.number == 1_000)
        #expect(try first.object()["setAside"]?.number == 1)
        let aside = try fleet.outbox("a")
        #expect(aside.count == 1)
        #expect(aside[0]["state"]?.text == "setAside" && aside[0]["attempts"]?.number == 1)
        #expect(aside[0]["reason"]?.text?.contains("LOST") == true)
        let table = try Tool.run("outbox", "list", "--store", fleet.store("a"))
        #expect(table.lines.count == 2 && table.lines[1].contains("set aside"))

        // The server refuses the change again, because nothing has changed.
        let sequence = "\(try #require(aside[0]["sequence"]?.number))"
        #expect(try fleet.run("a", "outbox", "retry", sequence, "--json").object()["retried"]?.number == 1)
        #expect(try fleet.outbox("a").map { $0["state"]?.text } == ["pending"])
        #expect(try fleet.sync("a").status == 5)
        // The server accepts the change once its status is one that the server knows.
        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"bad","status":"GONE"}"#)
        #expect(try fleet.outbox("a").map { $0["state"]?.text } == ["setAside"])
        _ = try fleet.run("a", "outbox", "retry", "--all")
        #expect(try fleet.synced("a")["sent"]?.number == 1)
        #expect(try fleet.outbox("a").isEmpty)

        _ = try fleet.run("a", "save", "Note", #"{"id":"worse","title":"refused","status":"LOST"}"#)
        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n1","status":"LOST"}"#)
        #expect(try fleet.sync("a").status == 5)
        #expect(try fleet.run("a", "outbox", "discard", "--all", "--json").object()["discarded"]?.number == 2)
        _ = try fleet.synced("a")
        #expect(try Tool.run("get", "--store", fleet.store("a"), "Note", "worse").status == 3)
        #expect(try !fleet.run("a", "get", "Note", "n1").output.contains("LOST"))
        _ = try fleet.synced("b")
        #expect(try fleet.export("a", "Note") == fleet.export("b", "Note"))
        #expect(try Tool.run("outbox", "retry", "--store", fleet.store("a"), "7").status == 3)
        #expect(try Tool.run("outbox", "retry", "--store", fleet.store("a")).status == 2)
    }

    @Test("the server's conflict program decides a conflict, and both devices receive its decision")
    func decided() throws {
        let directory = try TemporaryDirectory("program")
        let program = directory.file("decide")
        let item = #"{"id":"n1","title":"decided","rating":42}"#
        try Data("#!/bin/sh\ncat > /dev/null\necho '{\"action\":\"RESOLVE\",\"item\":\(item)}'\n".utf8).write(
            to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        let fleet = try Fleet.shop(["--conflict", "custom:\(program.path)"])
        let schema = fleet.syncArguments("a")[4]
        try Data(Shop.notes(0..<3).utf8).write(to: fleet.directory.file("notes"))
        _ = try fleet.run("a", "import", "--schema", schema, "Note", fleet.directory.file("notes").path)
        _ = try fleet.synced("a")
        _ = try fleet.synced("b")
        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n1","title":"a"}"#)
        _ = try fleet.run("b", "save", "--patch", "Note", #"{"id":"n1","title":"b"}"#)
        for device in ["a", "b", "a"] { _ = try fleet.synced(device) }
        let notes = try fleet.export("a", "Note")
        #expect(notes.contains(#""title":"decided","rating":42"#))
        #expect(try notes == fleet.export("b", "Note"))
    }

    @Test("a wrong key is exit 1, another server or a wrong expression is exit 2, and the store does not change")
    func mistakes() throws {
        let fleet = try Fleet.shop()
        _ = try fleet.synced("a")
        try fleet.save([#"{"id":"n1","title":"sent"}"#], on: "a")
        _ = try fleet.synced("a")
        let (log, notes) = (try fleet.run("a", "log", "--json").output, try fleet.export("a", "Note"))
        var arguments = fleet.syncArguments("a")
        arguments[8] = "da2-another-key"
        let wrongKey = try Tool.run(arguments)
        #expect(wrongKey.status == 1)
        #expect(try wrongKey.error()["code"]?.text == "unauthorized")
        let other = try Fleet.shop()
        arguments = fleet.syncArguments("a")
        arguments[6] = "http://127.0.0.1:\(other.port)/graphql"
        let otherServer = try Tool.run(arguments)
        #expect(otherServer.status == 2)
        #expect(try otherServer.error()["code"]?.text == "identityChanged")
        #expect(try fleet.sync("a", ["--where", "Nothing: id == \"1\""]).status == 2)
        #expect(try fleet.sync("a", ["--where", "Note: nothing == 1"]).status == 2)
        #expect(try fleet.sync("a", ["--where", "Note: rating =="]).status == 2)
        #expect(try fleet.run("a", "log", "--json").output == log)
        #expect(try fleet.export("a", "Note") == notes && notes.contains("sent"))
    }

    @Test("--where and --max-records choose the records that a device receives")
    func chosen() throws {
        let fleet = try Fleet.shop()
        try Data(Shop.notes(0..<300).utf8).write(to: fleet.directory.file("notes"))
        let schema = fleet.syncArguments("a")[4]
        _ = try fleet.run("a", "import", "--schema", schema, "Note", fleet.directory.file("notes").path)
        _ = try fleet.synced("a")
        #expect(try fleet.synced("b", ["--where", "Note: rating >= 8"])["received"]?.number == 60)
        // If a record stops matching the expression, the device removes it. If a record starts to match, the device
        // receives it.
        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n9","rating":1}"#)
        _ = try fleet.run("a", "save", "--patch", "Note", #"{"id":"n1","rating":9}"#)
        _ = try fleet.synced("a")
        let delta = try fleet.synced("b", ["--where", "Note: rating >= 8"])
        #expect(delta["queries"]?["Note"]?.text == "delta")
        #expect(try fleet.run("b", "query", "Note", "--count").output == "60")
        #expect(try Tool.run("get", "--store", fleet.store("b"), "Note", "n9").status == 3)
        #expect(try fleet.run("b", "get", "Note", "n1").status == 0)
        // With a different expression, the device requests all records again.
        let wider = try fleet.synced("b", ["--where", "Note: rating >= 7"])
        #expect(wider["queries"]?["Note"]?.text == "base")
        #expect(try fleet.run("b", "query", "Note", "--count").output == "90")

        let limited = try fleet.synced("c", ["--max-records", "100", "--page-size", "40"])
        #expect(limited["received"]?.number == 100 && limited["lastSync"]?["Note"] == nil)
        #expect(try fleet.synced("c")["queries"]?["Note"]?.text == "base")
        #expect(try fleet.export("a", "Note") == fleet.export("c", "Note"))
    }

    @Test("address and key come from a configuration file, and the key from its option if the file has none")
    func configurationFile() throws {
        let fleet = try Fleet.shop()
        let file = fleet.directory.file("amplify_outputs.json")
        let schema = fleet.syncArguments("a")[4]
        let sync = { (device: String, arguments: [String]) in
            try Tool.run(
                ["sync", "--store", fleet.store(device), "--schema", schema, "--config", file.path, "--json"]
                    + arguments)
        }
        let address = #""url":"http://127.0.0.1:\#(fleet.port)/graphql""#
        try Data(#"{"data":{\#(address),"api_key":"\#(ServerProcess.key)"}}"#.utf8).write(to: file)
        #expect(try sync("a", []).status == 0)
        try Data(#"{"data":{\#(address)}}"#.utf8).write(to: file)
        #expect(try sync("b", ["--api-key", ServerProcess.key]).status == 0)
        for text in [#"{"data":{\#(address)}}"#, #"{"data":{"api_key":"k"}}"#, "{"] {
            try Data(text.utf8).write(to: file)
            let refused = try sync("c", [])
            #expect(refused.status == 2)
            #expect(try refused.error()["code"]?.text == "invalidConfiguration")
        }
    }

    @Test("sync --verify finds records that differ from the server, and --repair makes them equal")
    func verified() throws {
        let fleet = try Fleet.shop()
        let notes = fleet.directory.file("notes")
        let schema = fleet.syncArguments("a")[4]
        try Data(Shop.notes(0..<120).utf8).write(to: notes)
        _ = try fleet.run("a", "import", "--schema", schema, "Note", notes.path)
        _ = try fleet.synced("a")
        let equal = try fleet.synced("b", ["--verify", "--page-size", "50"])
        #expect(equal["received"]?.number == 120)
        #expect(equal["verification"]?["compared"]?.number == 120)
        #expect(equal["verification"]?["differences"]?.number == 0)

        // A record of remote origin is not sent. The server does not have these records.
        let lines = #"{"id":"n7","title":"forged"}"# + "\n" + #"{"id":"n900","title":"invented"}"# + "\n"
        try Data(lines.utf8).write(to: notes)
        _ = try fleet.run("b", "import", "--origin", "remote", "Note", notes.path)
        let found = try fleet.sync("b", ["--verify"])
        #expect(found.status == 7, "\(found.errors)")
        let objects = try found.objects()
        #expect(objects.count == 3 && objects[2]["sent"]?.number == 0)
        #expect(objects[0]["model"]?.text == "Note" && objects[0]["id"]?.text == "n7")
        #expect(objects[0]["difference"]?.text == "differs" && objects[0]["isRepaired"] == .bool(false))
        #expect(objects[0]["fields"]?.elements.contains { $0.text == "title" } == true)
        #expect(objects[1]["id"]?.text == "n900" && objects[1]["difference"]?.text == "missingThere")
        #expect(objects[2]["verification"]?["differences"]?.number == 2)

        let arguments = fleet.syncArguments("b", ["--verify", "--repair"]).filter { $0 != "--json" }
        let repaired = try Tool.run(arguments)
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.lines.count == 5 && repaired.lines[2].contains("missing on the server"))
        #expect(repaired.lines.last?.hasSuffix("Compared: 121 records, 2 repaired.") == true)
        #expect(try fleet.export("a", "Note") == fleet.export("b", "Note"))
        #expect(try fleet.synced("b", ["--verify"])["verification"]?["differences"]?.number == 0)

        try fleet.stopServer()
        #expect(try fleet.sync("b", ["--verify", "--timeout", "1"]).status == 1)
        #expect(try fleet.sync("b", ["--repair"]).status == 2)
    }
}
