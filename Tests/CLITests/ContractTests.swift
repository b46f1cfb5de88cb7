import Foundation
import Testing
import TidelogJSON
import TidelogPlatform

@Suite("Rules for every command")
struct ContractTests {
    static let commands = [
        "init", "serve", "import", "export", "query", "get", "delete", "history", "save", "log", "stats", "verify",
        "rebuild", "compact", "backup", "clear", "schema print", "schema diff", "schema status", "generate",
        "pull-schema", "inspect",
        "sync", "outbox list", "outbox retry", "outbox discard", "demo", "bench",
    ]

    @Test("--help shows examples, usage and options, and is exit 0", arguments: commands)
    func help(command: String) throws {
        let outcome = try Tool.run(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        for part in ["tidelog \(command): ", "Examples", "  tidelog \(command)", "Usage", "Options", "--help"] {
            #expect(outcome.output.contains(part), "\(command) --help lacks \(part)")
        }
        #expect(outcome.lines.allSatisfy { $0.count <= 120 })
    }

    @Test("the overview lists every command and no hidden command")
    func overview() throws {
        let outcome = try Tool.run("--help")
        #expect(outcome.status == 0)
        for command in Self.commands { #expect(outcome.lines.contains { $0.hasPrefix("  \(command) ") }) }
        #expect(!outcome.output.contains("verify-child"))
        #expect(try Tool.run([]).status == 2)
        #expect(try Tool.run("help", "query").output == Tool.run("query", "--help").output)
    }

    @Test("an unknown option, command or value is exit 2, and the error suggests the nearest known one")
    func suggestions() throws {
        let option = try Tool.run("query", "--store", "x", "Note", "--limt", "3")
        #expect(option.status == 2)
        #expect(option.errors.contains("Did you mean \"--limit\"?"))
        let command = try Tool.run("qeury")
        #expect(command.status == 2)
        #expect(command.errors.contains("Did you mean \"query\"?"))
        #expect(try Tool.run("schema").errors.contains("schema print, schema diff, schema status"))
        let choice = try Tool.run("init", "--store", "x", "--schema", "y", "--adapter", "sqlit", "--json")
        #expect(choice.status == 2)
        #expect(try choice.error()["code"]?.text == "usage")
        #expect(try choice.error()["recovery"]?.text?.contains("Did you mean \"sqlite\"?") == true)
    }

    @Test(
        "wrong arguments are exit 2",
        arguments: [
            ["query", "--store", "x"], ["query", "Note"], ["query", "--store"], ["get", "--store", "x", "Note"],
            ["query", "--store", "x", "Note", "true", "more"], ["query", "--store", "x", "--store", "y", "Note"],
            ["query", "--store", "x", "Note", "--limit", "-1"], ["query", "--store", "x", "Note", "--count=3"],
            ["import", "--store", "x", "Note", "f", "--batch", "0"],
            ["import", "--store", "x", "Note", "f", "--batch=z"],
            ["clear", "--store", "x"], ["schema", "print"], ["schema", "diff", "a"],
            ["schema", "status", "a"], ["log", "--store", "x", "-z"],
        ])
    func usage(arguments: [String]) throws {
        let outcome = try Tool.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("error: "))
        #expect(outcome.lines.isEmpty)
    }

    @Test("a missing store is an error and is not created, not even by import without a schema")
    func noStore() throws {
        let shop = try Shop()
        try shop.write("", to: "empty")
        for arguments in [
            ["query", "Note"], ["stats"], ["save", "Note", "{}"], ["import", "Note", shop.file("empty")],
        ] {
            let outcome = try Tool.run([arguments[0], "--store", shop.store, "--json"] + arguments.dropFirst())
            #expect(outcome.status == 1)
            #expect(try outcome.error()["code"]?.text == "storeNotFound")
        }
        #expect(!FileManager.default.fileExists(atPath: shop.store))
    }

    @Test("init creates an empty store with the given options, and refuses to create the store again")
    func initializes() throws {
        let shop = try Shop()
        let arguments = ["--schema", shop.file("schema.graphql"), "--adapter", "sqlite", "--durability", "relaxed"]
        #expect(try Tool.run(["init", "--store", shop.store] + arguments).status == 0)
        let stats = try shop.run("stats", "--json").object()
        #expect(stats["adapter"]?.text == "sqlite")
        #expect(stats["durability"]?.text == "relaxed")
        #expect(stats["events"]?.number == 1)
        let again = try Tool.run(["init", "--store", shop.store, "--json"] + arguments)
        #expect(again.status == 1)
        #expect(try again.error()["code"]?.text == "alreadyExists")
        #expect(
            try Tool.run("init", "--store", shop.file("odd name!"), "--schema", shop.file("schema.graphql")).status == 1
        )
    }

    @Test(
        "a command that names another adapter than the store's is exit 2", arguments: ["query", "save", "log", "stats"])
    func anotherAdapter(command: String) throws {
        let shop = try Shop(notes: 1)
        let rest = ["query": ["Note"], "save": ["Note", "{}"]][command] ?? []
        let outcome = try Tool.run([command, "--store", shop.store, "--adapter", "sqlite", "--json"] + rest)
        #expect(outcome.status == 2)
        #expect(try outcome.error()["code"]?.text == "configurationMismatch")
        #expect(try Tool.run([command, "--store", shop.store, "--adapter", "lmdb"] + rest).status != 2)
    }

    @Test("a bad schema is exit 2 with line and column, and a change that would lose data is refused")
    func badSchema() throws {
        let shop = try Shop(notes: 1)
        try shop.write("type Note @model {\n  id: ID!\n  title: Strin!\n}\n", to: "bad.graphql")
        let bad = try shop.run("import", "--schema", shop.file("bad.graphql"), "Note", shop.file("notes.ndjson"))
        #expect(bad.status == 2)
        #expect(bad.errors.contains("bad.graphql:3:"))
        try shop.write("type Note @model {\n  id: ID!\n}\n", to: "less.graphql")
        let less = try shop.run(
            "import", "--json", "--schema", shop.file("less.graphql"), "Note", shop.file("notes.ndjson"))
        #expect(less.status == 2)
        #expect(try less.error()["code"]?.text == "invalidSchema")
        try shop.write(Shop.schema + "\ntype More @model { id: ID! }\n", to: "more.graphql")
        #expect(
            try shop.run("import", "--schema", shop.file("more.graphql"), "Note", shop.file("notes.ndjson")).status == 0
        )
        #expect(try shop.run("query", "More", "--count").output == "0")
    }

    @Test("schema status reports each model as unchanged, created or refused, and changes nothing")
    func schemaStatus() throws {
        let shop = try Shop(notes: 1)
        try shop.write(
            "type More @model { id: ID! }\n" + Shop.schema.replacing("title: String!", with: "title: Int!"),
            to: "other.graphql")
        try shop.write(Shop.schema + "\ntype More @model { id: ID! }\n", to: "more.graphql")
        func status(_ file: String) throws -> [String: String] {
            let outcome = try Tool.run("schema", "status", shop.file(file), "--store", shop.store, "--json")
            #expect(outcome.status == 0, "\(outcome.errors)")
            var found: [String: String] = [:]
            for line in try outcome.objects() { found[line["model"]?.text ?? ""] = line["status"]?.text }
            return found
        }
        #expect(try status("schema.graphql").values.allSatisfy { $0 == "No Change" })
        #expect(try status("more.graphql")["More"] == "Create")
        #expect(try status("more.graphql")["Note"] == "No Change")
        #expect(try status("other.graphql")["Note"] == "Refused")
        let text = try Tool.run("schema", "status", shop.file("other.graphql"), "--store", shop.store)
        #expect(text.lines.contains { $0.hasPrefix("Note") && $0.hasSuffix("Refused") })
        #expect(text.lines.contains("  ✗ Note.title: type changed from String to Int"))
        #expect(try shop.run("query", "More", "--count").status == 2)
    }

    @Test("if another process writes the store, commands that write are exit 6, and other commands can read")
    func locked() throws {
        let shop = try Shop(notes: 2)
        let lock = open(shop.store + "/writer.lock", O_RDWR | O_CLOEXEC)
        defer { close(lock) }
        #expect(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        let outcome = try shop.run("delete", "Note", "n0", "--json")
        #expect(outcome.status == 6)
        #expect(try outcome.error()["code"]?.text == "locked")
        #expect(try shop.run("compact").status == 6)
        #expect(try shop.run("rebuild").status == 6)
        #expect(try shop.run("clear", "--yes").status == 6)
        #expect(try shop.run("query", "Note", "--count").output == "2")
        #expect(try shop.run("get", "Note", "n0").status == 0)
        #expect(try shop.run("log", "--json").lines.count == 3)
    }

    @Test(
        "reads and backups work while another process writes, and have every acknowledged record",
        arguments: ["lmdb", "sqlite"])
    func besideWriter(adapter: String) throws {
        let shop = try Shop(notes: 1, adapter: adapter)
        try shop.write(Shop.notes(1..<101), to: "first")
        try shop.write(Shop.notes(101..<201), to: "second")
        let outcome = try shop.shell(
            """
            mkfifo pipe && exec 3<>pipe && cat first >&3
            tidelog import --store shop --batch 100 --ack Note - < pipe > acknowledged & child=$!
            while [ ! -s acknowledged ]; do sleep 0.05; done
            tidelog query --store shop Note --count; tidelog stats --store shop --json | cut -d, -f6
            cat second >&3
            while [ "$(wc -l < acknowledged)" -lt 2 ]; do sleep 0.05; done
            tidelog query --store shop Note --count; tidelog log --store shop --from 202 --json | wc -l | tr -d ' '
            tidelog backup --store shop copy --json; tidelog verify --store shop > report; echo $?
            kill -9 $child
            """)
        #expect(
            outcome.lines == [
                "101", "\"checkpoint\":102", "201", "1", #"{"backup":"copy","sequence":202}"#, "0",
            ], "\(outcome.errors)")
    }

    @Test(
        "a reader sees every acknowledged record, even if a killed writer left rows without the last events",
        arguments: ["lmdb", "sqlite"])
    func rowsBehind(adapter: String) throws {
        let shop = try Shop(notes: 2, adapter: adapter)
        let rows = shop.store + "/generation-1/rows-1"
        try FileManager.default.copyItem(atPath: rows, toPath: shop.file("rows"))
        try shop.write(Shop.notes(2..<5), to: "more")
        #expect(try shop.run("import", "Note", shop.file("more")).status == 0)
        try FileManager.default.removeItem(atPath: rows)
        try FileManager.default.copyItem(atPath: shop.file("rows"), toPath: rows)
        let outcome = try shop.run("query", "Note", "--count")
        #expect(outcome.output == "5")
        #expect(outcome.errors.isEmpty)
        #expect(try shop.run("history", "Note", "n4").status == 0)
        #expect(try shop.run("delete", "Note", "n0").status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "4")
    }

    @Test("export is exit 0 if the process that reads its output closes the pipe")
    func brokenPipe() throws {
        let shop = try Shop(notes: 20_000)
        let outcome = try shop.shell(
            "{ tidelog export --store shop Note; echo $? > status; } | head -n 1 && cat status")
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.last == "0")
        #expect(outcome.errors == "")
    }

    @Test("import is exit 1 with a message if the process that reads its acknowledgements closes the pipe")
    func brokenPipeOfImport() throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<20_000), to: "notes.ndjson")
        let outcome = try shop.shell(
            """
            { tidelog import --store shop --schema schema.graphql --batch 10 --ack Note notes.ndjson; echo $? > status; } |
                head -n 1 && cat status
            """)
        #expect(outcome.lines == [#"{"acknowledged":10,"sequence":11}"#, "1"])
        #expect(outcome.errors.contains("error: Standard output was closed before the command had ended."))
        #expect(try shop.run("import", "--json", "Note", shop.file("notes.ndjson")).status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "20000")
    }

    @Test("without a terminal, progress is shown only with --progress")
    func progress() throws {
        let shop = try Shop(notes: 10)
        let quiet = try shop.run("import", "Note", shop.file("notes.ndjson"))
        #expect(!quiet.errors.contains("Importing"))
        let shown = try shop.run("import", "--progress", "Note", shop.file("notes.ndjson"))
        #expect(shown.errors.contains("Importing Note"))
        #expect(shown.errors.contains("100%"))
    }

    @Test("schema print prints an equal schema, and schema diff lists the differences")
    func schemas() throws {
        let shop = try Shop(notes: 1)
        let ofStore = try Tool.run("schema", "print", "--store", shop.store)
        let ofFile = try Tool.run("schema", "print", shop.file("schema.graphql"))
        #expect(ofStore.status == 0)
        #expect(ofStore.output == ofFile.output)
        try shop.write(ofFile.output, to: "printed.graphql")
        #expect(try Tool.run("schema", "diff", shop.file("printed.graphql"), shop.file("schema.graphql")).status == 0)
        try shop.write(Shop.schema.replacingOccurrences(of: "weight: Float", with: "weight: Int"), to: "other.graphql")
        let diff = try Tool.run("schema", "diff", shop.store, shop.file("other.graphql"), "--json")
        #expect(diff.status == 1)
        let change = try diff.object()
        #expect(change["type"]?.text == "Note")
        #expect(change["member"]?.text == "weight")
        #expect(change["lossless"]?.flag == false)
        try shop.write("type Note @model {\n  id: ID!\n  title: \n}\n", to: "bad.graphql")
        #expect(try Tool.run("schema", "print", shop.file("bad.graphql")).status == 2)
    }

    @Test("schema print --api prints the API of a file or a store, and lists parts not served with their places")
    func api() throws {
        let shop = try Shop(notes: 1)
        let ofFile = try Tool.run("schema", "print", shop.file("schema.graphql"), "--api")
        #expect(ofFile.status == 0 && ofFile.errors == "")
        #expect(ofFile.output.contains("syncNotes(filter: ModelNoteFilterInput"))
        #expect(try Tool.run("schema", "print", "--store", shop.store, "--api").output == ofFile.output)
        let second = try Tool.run("schema", "print", shop.file("schema.graphql"), "--api", "--gen2")
        #expect(second.status == 0 && second.output.contains("listNotes(filter: ModelNoteFilterInput"))
        #expect(!second.output.contains("_version") && !second.output.contains("syncNotes"))
        #expect(try Tool.run("schema", "print", shop.file("schema.graphql"), "--gen2").status == 2)
        try shop.write("type A @model {\n  a: String @function(name: \"f\")\n}\n", to: "f.graphql")
        let without = try Tool.run("schema", "print", "--api", shop.file("f.graphql"))
        #expect(without.status == 0 && without.output.contains("getA(id: ID!): A"))
        #expect(without.errors.hasSuffix("f.graphql:2:13: @function on A.a is not served.\n"))
        let object = try Tool.run("schema", "print", "--api", "--json", shop.file("f.graphql")).object()
        #expect(object["notServed"]?.elements.count == 1 && object["schema"]?.text == without.output + "\n")
        try shop.write("type A @model {\n  _version: String\n}\n", to: "clash.graphql")
        let clash = try Tool.run("schema", "print", "--api", shop.file("clash.graphql"))
        #expect(clash.status == 2 && clash.errors.contains("clash.graphql:2:3: the API of A has"))
    }

    @Test("bench runs tidelog-bench with the arguments that follow")
    func bench() throws {
        let shop = try Shop()
        let missing = try shop.shell("cp \"$(command -v tidelog)\" tidelog && ./tidelog bench --json")
        #expect(missing.status == 1)
        try shop.write("#!/bin/sh\necho \"$@\"\nexit 5\n", to: "tidelog-bench")
        let outcome = try shop.shell("chmod +x tidelog-bench; ./tidelog bench --workload append --json x")
        #expect(outcome.status == 5)
        #expect(outcome.output == "--workload append --json x")
    }
}
