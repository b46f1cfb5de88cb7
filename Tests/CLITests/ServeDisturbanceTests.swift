import FaultHarness
import Foundation
import PostgresSupport
import TestWaiting
import Testing
import TidelogJSON

@Suite("tidelog serve --database, disturbed", .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(5)))
struct ServeDisturbanceTests {
    private static let schema = """
        type Item @model @auth(rules: [{allow: public}]) { id: ID! number: Int note: String }

        """

    /// A server over a new database.
    private struct Scene {
        let shop: Shop
        let database: String
        let server: ServerProcess

        init(_ database: String? = nil) throws {
            shop = try Shop()
            try shop.write(ServeDisturbanceTests.schema, to: "items.graphql")
            self.database = try database ?? PostgresCluster.makeDatabase()
            server = try ServerProcess(shop.file("items.graphql"), database: self.database)
        }

        /// Creates a record, and returns whether the server has acknowledged it.
        func create(_ id: String, note: String = "", name: String? = nil) async throws -> Bool {
            var headers = ["x-api-key": ServerProcess.key]
            headers["x-tidelog-mutation-id"] = name
            let response = try await server.post(
                #"mutation { createItem(input: {id: "\#(id)", note: "\#(note)"}) { id _version } }"#, headers)
            return try response.json()["data"]?["createItem"]?["_version"]?.number == 1
        }

        func ids() async throws -> [String] {
            let answer = try await server.ask("{ syncItems(limit: 1000) { items { id } } }")
            return answer["data"]?["syncItems"]?["items"]?.elements.compactMap { $0["id"]?.text } ?? []
        }

        /// Waits until the server reports that it is well.
        func waitForHealth() async throws {
            try await eventually("the server is well") { try await server.send("GET", "/health").status == 200 }
        }

        /// Waits until the server reports a failure for `reason`.
        func waitForFailure(_ reason: String) async throws {
            try await eventually("the server reports \(reason)") {
                let health = try await server.send("GET", "/health")
                return try health.status == 503 && health.json()["reason"]?.text == reason
            }
        }

        /// Cuts the connections of the server to the database.
        func cutConnections() throws {
            _ = try PostgresCluster.run(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                WHERE datname = current_database() AND application_name = 'tidelog \(server.child.identifier)'
                """, on: database)
        }
    }

    @Test("connections are cut again and again: no change is lost or made twice, and each is heard once")
    func cuts() async throws {
        let scene = try Scene()
        let subscriber = try await SubscribedClient("onCreateItem { id _version }", at: scene.server)
        let (clients, each) = (6, 15)
        let cutting = Task {
            while !Task.isCancelled {
                try scene.cutConnections()
                try await Task.sleep(for: .milliseconds(40))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    for number in 0..<each {
                        let id = "\(client)-\(number)"
                        while try await !scene.create(id, name: "name-\(id)") {}
                    }
                }
            }
            try await group.waitForAll()
        }
        cutting.cancel()
        _ = await cutting.result
        let expected = Set((0..<clients).flatMap { client in (0..<each).map { "\(client)-\($0)" } })
        var heard: [String] = []
        while heard.count < expected.count {
            let change = try await subscriber.next()["onCreateItem"]
            #expect(change?["_version"]?.number == 1)
            heard.append(change?["id"]?.text ?? "")
        }
        #expect(Set(heard) == expected)
        #expect(try await Set(scene.ids()) == expected)
        try await scene.waitForHealth()
        let connections = try await scene.server.send("GET", "/health").json()["connections"]
        #expect(connections?["lost"]?.number ?? 0 > 0 && connections?["waiting"]?.number == 0)
        #expect(try scene.server.stop() == 0)
    }

    @Test("a database that becomes read-only is reported as such; reads continue, and changes work again by themselves")
    func readOnly() async throws {
        let scene = try Scene()
        #expect(try await scene.create("before"))
        let name = try PostgresCluster.run("SELECT current_database()", on: scene.database)
        let cluster = try PostgresCluster.shared.get()
        try cluster.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        try scene.cutConnections()
        try await scene.waitForFailure("readOnly")
        #expect(try await !scene.create("during"))
        #expect(try await scene.ids() == ["before"])

        // Another server can be started at this time, but not with a schema that needs other tables.
        let other = try ServerProcess(scene.shop.file("items.graphql"), database: scene.database)
        #expect(try await other.send("GET", "/health").status == 503)
        #expect(try await other.ask(#"{ getItem(id: "before") { id } }"#)["data"]?["getItem"] != .null)
        try scene.shop.write(Self.schema.replacing("note: String", with: "note: String more: Int"), to: "more.graphql")
        let refused = try Tool.run([
            "serve", scene.shop.file("more.graphql"), "--database", scene.database, "--port", "0",
        ])
        #expect(refused.status == 1 && refused.errors.contains("its tables do not fit the schema yet"))

        try cluster.run("ALTER DATABASE \(name) RESET default_transaction_read_only")
        try await scene.waitForHealth()
        #expect(try await scene.create("after"))
        #expect(try await scene.ids() == ["after", "before"])
        #expect(try scene.server.stop() == 0)
        #expect(try other.stop() == 0)
    }

    @Test("a long transaction of another user delays the change of its record and the messages, and nothing else")
    func longTransaction() async throws {
        let scene = try Scene()
        let subscriber = try await SubscribedClient("onUpdateItem { id }", at: scene.server)
        for id in ["a", "b"] { #expect(try await scene.create(id)) }
        let lock = #"BEGIN; UPDATE tidelog."Item" SET note = note WHERE id = 'a'; SELECT pg_sleep(60)"#
        let other = try ChildProcess(URL(filePath: "/usr/bin/env"), ["psql", scene.database, "-X", "-q", "-c", lock])
        let sleeping = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        try await eventually("the transaction runs") {
            try PostgresCluster.run("SELECT count(*) \(sleeping)", on: scene.database) == "1"
        }

        let update = { @Sendable (id: String) in
            try await scene.server.ask(
                #"mutation { updateItem(input: {id: "\#(id)", number: 1, _version: 1}) { _version } }"#)
        }
        let blocked = Task {
            // The server waits for the lock for a limited time. It then answers that it cannot make the change now.
            while (try? await update("a"))?["data"]?["updateItem"]?["_version"]?.number != 2 {}
        }
        #expect(try await update("b")["data"]?["updateItem"]?["_version"]?.number == 2)
        let delta = try await scene.server.ask("{ syncItems(lastSync: 1) { items { id _version } } }")
        #expect(delta["data"]?["syncItems"]?["items"]?.elements.contains { $0["_version"]?.number == 2 } == true)
        other.signal(SIGKILL)
        _ = try other.wait()
        try PostgresCluster.run("SELECT pg_terminate_backend(pid) \(sleeping)", on: scene.database)
        await blocked.value
        var heard: Set<String> = []
        for _ in 0..<2 { heard.insert(try await subscriber.next()["onUpdateItem"]?["id"]?.text ?? "") }
        #expect(heard == ["a", "b"])
        #expect(try scene.server.stop() == 0)
    }

    #if os(Linux)
        @Test(
            "a full disk of the database refuses changes and is reported; reads continue, and changes work again by themselves",
            .enabled(if: TemporaryFilesystem.unavailability() == nil))
        func fullDisk() async throws {
            // A cluster of its own: before PostgreSQL reads a page, it may have to write a page of another database, and on a
            // full disk this fails. A statement of another test would then fail.
            let cluster = try PostgresCluster()
            let disk = try TemporaryFilesystem(size: 20 << 20, in: URL(filePath: cluster.directory))
            let owner = try #require(
                FileManager.default.attributesOfItem(atPath: cluster.directory)[.ownerAccountID] as? NSNumber)
            try FileManager.default.setAttributes([.ownerAccountID: owner], ofItemAtPath: disk.url.path)
            let name = "t" + UUID().uuidString.filter(\.isHexDigit).lowercased()
            try cluster.run("CREATE TABLESPACE \(name) LOCATION '\(disk.url.path)'")
            try cluster.run("CREATE DATABASE \(name) TABLESPACE \(name)")
            let database = cluster.address.replacing("/postgres?", with: "/\(name)?")
            try PostgresCluster.run(
                "CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 3000)", on: database)
            let scene = try Scene(database)
            let note = (0..<50_000).map { _ in "\(UInt8.random(in: 0...9))" }.joined()
            var stored: [String] = []
            while stored.count < 1_000, try await scene.create("i\(1_000 + stored.count)", note: note) {
                stored.append("i\(1_000 + stored.count)")
            }
            #expect(stored.count > 5 && stored.count < 1_000)
            try await scene.waitForFailure("storageFull")
            #expect(try await scene.ids() == stored)
            try PostgresCluster.run("DROP TABLE filler", on: database)
            try await scene.waitForHealth()
            #expect(try await scene.create("j"))
            #expect(try await scene.ids() == stored + ["j"])
            #expect(try scene.server.stop() == 0)
            try cluster.run("DROP DATABASE \(name) WITH (FORCE)")
            try cluster.run("DROP TABLESPACE \(name)")
        }
    #endif
}
