#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing
    import TidelogJSON

    @Suite("The command line with another version of LMDB", .timeLimit(.minutes(5)))
    struct OtherLibraryTests {
        private static let otherFile = repository.appending(path: "Tests/Fixtures/lmdb-1.0/data.mdb")

        /// Commands that open a store, and whether each command needs the rows.
        private func commands(_ shop: Shop) -> [(arguments: [String], readsRows: Bool)] {
            [
                (["query", "Note"], true), (["export", "Note"], true), (["verify"], true), (["stats"], false),
                (["save", "Note", "{\"id\":\"new\",\"title\":\"New\"}"], true), (["log"], false),
                (["compact"], true), (["backup", shop.file("copy")], false),
                (["verify", "--salvage", shop.file("rescued")], false),
            ]
        }

        private func check(_ outcome: Outcome, _ arguments: [String]) throws {
            let error = try outcome.error()
            #expect(outcome.status == 1, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(error["code"]?.text == "incompatibleLibrary", "\(arguments): \(outcome.errors)")
            let text = outcome.errors + outcome.output
            #expect(text.contains("LMDB 0.9") && text.contains("LMDB 1.0"), "\(arguments): \(text)")
            for word in ["damage", "alvage"] {
                let told = text.replacingOccurrences(of: "--salvage", with: "")
                #expect(!told.contains(word), "\(arguments): \(text)")
            }
        }

        @Test("If the log or the rows have LMDB 1.0's format, every command is exit 1 and names both versions")
        func otherFile() throws {
            for part in ["log", "rows"] {
                let shop = try Shop(notes: 20)
                let generation = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1")
                let folders = try FileManager.default.contentsOfDirectory(atPath: generation.path)
                let folder = try #require(folders.first { $0.hasPrefix(part) })
                let file = generation.appendingPathComponent("\(folder)/data.mdb")
                let bytes = try Data(contentsOf: Self.otherFile)
                try bytes.write(to: file)
                for (arguments, readsRows) in commands(shop) where part == "log" || readsRows {
                    let line = [arguments[0], "--store", shop.store] + arguments.dropFirst() + ["--json"]
                    try check(try Tool.run(line), line)
                    #expect(try Data(contentsOf: file) == bytes)
                }
                #expect(!FileManager.default.fileExists(atPath: shop.file("rescued")))
            }
        }

        /// Whether the system loads LMDB when the tool starts. A tool that was built with `tidelog-lmdb` has LMDB in itself,
        /// and loads no library instead.
        private static let loadsLibrary = ProcessInfo.processInfo.environment["TIDELOG_LMDB"] == nil

        @Test("With an LMDB library of version 1.0.1, each command that opens a store fails, or has LMDB in itself")
        func otherLibrary() throws {
            let shop = try Shop(notes: 20)
            var plan = FaultPlan(root: shop.directory.url)
            plan.libraryVersion = "1.0.1"
            let environment = try plan.environment()
            for (arguments, _) in commands(shop) where arguments.first != "verify" || arguments.count == 1 {
                let line = [arguments[0], "--store", shop.store] + arguments.dropFirst() + ["--json"]
                try checkLibrary(try Tool.finish(Tool.start(line, environment: environment)), line)
            }
            let fresh = shop.file("fresh")
            let line = ["import", "--store", fresh, "--schema", shop.file("schema.graphql"), "Note", "--json"]
            try checkLibrary(
                try Tool.finish(Tool.start(line + [shop.file("notes.ndjson")], environment: environment)), line)
            #expect(try shop.run("query", "Note", "--count").output == (Self.loadsLibrary ? "20" : "21"))
        }

        private func checkLibrary(_ outcome: Outcome, _ arguments: [String]) throws {
            if Self.loadsLibrary { return try check(outcome, arguments) }
            #expect(outcome.status == 0, "\(arguments): \(outcome.status) \(outcome.errors)")
        }
    }
#endif
