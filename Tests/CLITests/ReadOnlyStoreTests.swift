#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing
    import TidelogJSON

    @Suite("Stores that a process cannot write")
    struct ReadOnlyStoreTests {
        private static let adapters = ["lmdb", "sqlite"]
        private static let otherUser = OtherUser.unavailability
        private static let readOnlyDisk = TemporaryFilesystem.unavailability()

        /// Runs every command that reads on the store with `count` notes, and expects that it succeeds.
        private func expectReadable(
            _ store: String, notes count: Int = 10, _ run: ([String]) throws -> Outcome
        ) throws {
            let commands = [
                ["query", "--store", store, "Note", "--count"], ["query", "--store", store, "Note", "rating >= 0"],
                ["get", "--store", store, "Note", "n1"], ["history", "--store", store, "Note", "n1"],
                ["export", "--store", store, "Note"], ["log", "--store", store, "--json"],
                ["stats", "--store", store, "--json"], ["schema", "print", "--store", store],
                ["verify", "--store", store], ["outbox", "list", "--store", store, "--json"],
            ]
            for command in commands {
                let outcome = try run(command)
                #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            }
            #expect(try run(commands[0]).output == "\(count)")
        }

        /// Starts an import into the store at `path`, and returns after some of its commits.
        private func startImport(_ shop: Shop, _ path: String, _ adapter: String) throws -> ChildProcess {
            try shop.write(Shop.notes(0..<50_000), to: "many.ndjson")
            let child = try Tool.start([
                "import", "--store", path, "--schema", shop.file("schema.graphql"), "--adapter", adapter, "--batch",
                "10", "--ack", "Note", shop.file("many.ndjson"),
            ])
            for _ in 0..<30 { _ = try child.readLine() }
            return child
        }

        /// Kills the writer. Returns the number of notes that the log has acknowledged.
        private func kill(_ child: ChildProcess) throws -> Int {
            child.signal(SIGKILL)
            _ = try child.wait()
            let last = try JSONValue(parsing: Array((child.lines.last ?? "").utf8))
            return try #require(last["acknowledged"]?.number)
        }

        @Test(
            "the store of another user is read without changing it if its permissions allow that",
            .enabled(if: otherUser == nil, "\(otherUser ?? "")"), arguments: adapters)
        func storeOfAnotherUser(adapter: String) throws {
            let shop = try Shop(notes: 10, adapter: adapter, in: OtherUser.folder)
            let store = URL(fileURLWithPath: shop.store)
            try OtherUser.allow(store, directories: 0o755, files: 0o644)
            let before = try OtherUser.state(store)
            try expectReadable(shop.store) { try OtherUser.run($0) }
            #expect(try OtherUser.state(store) == before)
            let saved = try OtherUser.run(["save", "--store", shop.store, "Note", #"{"id":"x","title":"t"}"#, "--json"])
            #expect(saved.status == 1)
            #expect(try saved.error()["code"]?.text == "unsafePath")
            #expect(try saved.error()["message"]?.text?.contains("belongs to another user") == true)
            // The superuser must not leave files that the owner cannot write.
            try OtherUser.own(store)
            let owned = try OtherUser.state(store)
            try expectReadable(shop.store) { try Tool.run($0) }
            #expect(try OtherUser.state(store) == owned)
            try OtherUser.allow(store, directories: 0o700, files: 0o600)
            #expect(try OtherUser.run(["delete", "--store", shop.store, "Note", "n1"]).status == 0)
        }

        @Test(
            "a store in folders and files without write permission is read by its owner, and by other users",
            .enabled(if: otherUser == nil, "\(otherUser ?? "")"), arguments: adapters, [true, false])
        func withoutWritePermission(adapter: String, isOwn: Bool) throws {
            let shop = try Shop(notes: 10, adapter: adapter, in: OtherUser.folder)
            let store = URL(fileURLWithPath: shop.store)
            if isOwn { try OtherUser.own(store) }
            try OtherUser.allow(store, directories: 0o555, files: 0o444)
            let before = try OtherUser.state(store)
            try expectReadable(shop.store) { try OtherUser.run($0) }
            #expect(try OtherUser.state(store) == before)
        }

        @Test(
            "a store whose permissions do not allow reading is exit 1, and the message has the reason",
            .enabled(if: otherUser == nil, "\(otherUser ?? "")"))
        func unreadable() throws {
            let shop = try Shop(notes: 1, in: OtherUser.folder)
            func expectReason() throws {
                let outcome = try OtherUser.run(["query", "--store", shop.store, "Note", "--json"])
                #expect(outcome.status == 1)
                let message = try #require(try outcome.error()["message"]?.text)
                #expect(message.contains("Permission denied"))
            }
            try expectReason()
            // No other user may enter the folder around the store.
            #expect(chmod(shop.directory.url.path, 0o700) == 0)
            try expectReason()
        }

        @Test(
            "a store on a read-only medium is read, also after its writer was killed",
            .enabled(if: readOnlyDisk == nil, "\(readOnlyDisk ?? "")"), arguments: adapters, [true, false])
        func readOnlyMedium(adapter: String, isKilled: Bool) throws {
            let shop = try Shop(notes: 10, adapter: adapter, in: OtherUser.folder)
            let disk = try TemporaryFilesystem(size: 64 << 20)
            let store = disk.url.appendingPathComponent("shop")
            if isKilled {
                let acknowledged = try kill(startImport(shop, store.path, adapter))
                try disk.makeReadOnly()
                let count = try #require(
                    Int(Tool.run("query", "--store", store.path, "Note", "--count").output), "\(adapter)")
                #expect(count >= acknowledged)
                try expectReadable(store.path, notes: count) { try Tool.run($0) }
            } else {
                try FileManager.default.copyItem(atPath: shop.store, toPath: store.path)
                try disk.makeReadOnly()
                try expectReadable(store.path) { try Tool.run($0) }
            }
        }

        @Test(
            "the rows of a killed writer are read without permission to write, with every acknowledged record",
            .enabled(if: otherUser == nil, "\(otherUser ?? "")"), arguments: adapters)
        func killedWriter(adapter: String) throws {
            let shop = try Shop(in: OtherUser.folder)
            let store = URL(fileURLWithPath: shop.store)
            let acknowledged = try kill(startImport(shop, shop.store, adapter))
            try OtherUser.allow(store, directories: 0o555, files: 0o444)
            let before = try OtherUser.state(store)
            let count = try OtherUser.run(["query", "--store", shop.store, "Note", "--count"])
            #expect(Int(count.output).map { $0 >= acknowledged } == true, "\(count.output) \(count.errors)")
            #expect(try OtherUser.state(store) == before)
            try OtherUser.allow(store, directories: 0o700, files: 0o600)
            #expect(try Tool.run("query", "--store", shop.store, "Note", "--count").output == count.output)
        }

        @Test(
            "a reader without permission to write and a writer exclude each other, and both messages name the reason",
            .enabled(if: otherUser == nil, "\(otherUser ?? "")"), arguments: adapters)
        func exclusion(adapter: String) throws {
            let shop = try Shop(notes: 10, adapter: adapter, in: OtherUser.folder)
            let store = URL(fileURLWithPath: shop.store)
            try OtherUser.allow(store, directories: 0o755, files: 0o644)
            let reader = try OtherUser.start(["log", "--store", shop.store, "--follow", "--json"])
            _ = try reader.readLine()
            let refused = try Tool.run("delete", "--store", shop.store, "Note", "n1", "--json")
            #expect(refused.status == 6)
            #expect(try refused.error()["message"]?.text?.contains("is reading the store") == true, "\(refused.errors)")
            // Other readers do not disturb each other.
            #expect(try Tool.run("query", "--store", shop.store, "Note", "--count").output == "10")
            reader.signal(SIGINT)
            _ = try reader.wait()
            let writer = try startImport(shop, shop.store, adapter)
            let read = try OtherUser.run(["query", "--store", shop.store, "Note", "--count", "--json"])
            #expect(read.status == 6)
            #expect(try read.error()["message"]?.text?.contains("cannot write the store's lock files") == true)
            _ = try kill(writer)
        }
    }
#endif
