import FaultHarness
import Foundation
import Testing
import TidelogJSON
import TidelogSync

@Suite("tidelog serve", .timeLimit(.minutes(5)))
struct ServeTests {
    private static let schema = """
        enum PostStatus { ACTIVE INACTIVE }

        # Comments and blanks are part of the source.
        type Post @model @auth(rules: [{allow: public}]) {
          id: ID!
          title: String!
          status: PostStatus!
          rating: Int
        }

        """

    /// A key set with a public key that was made for these tests.
    private static let keySet =
        #"{"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"4WhQP_eDnZDRBLMafvxZo_1dgRHZv1iGSM6fRm3wqoI","#
        + #""y":"ixd7L0EEUFeXde440rODNbgHq5VgHa93iESL53Klcpw"}]}"#

    /// A directory with the file of a schema.
    private static func shop(_ text: String = schema) throws -> Shop {
        let shop = try Shop()
        try shop.write(text, to: "served.graphql")
        return shop
    }

    private static func create(_ id: String) -> String {
        #"mutation { createPost(input: {id: "\#(id)", title: "first", status: ACTIVE}) { id _version } }"#
    }

    @Test(
        "the mutation of the guide to DataStore works, and its result can be read after a restart",
        arguments: ["lmdb", "sqlite"])
    func mutation(adapter: String) async throws {
        let shop = try Self.shop()
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store, ["--adapter", adapter])
        #expect(server.ready.keys == ["ready", "endpoint", "realtime", "apiKey", "pid"])
        #expect(server.ready["ready"]?.flag == true)
        #expect(server.ready["apiKey"]?.text == ServerProcess.key)
        #expect(server.ready["pid"]?.number == Int(server.child.identifier))
        #expect(server.ready["realtime"]?.text?.hasPrefix("ws://127.0.0.1:") == true)
        #expect(server.ready["realtime"]?.text?.hasSuffix("/graphql/realtime") == true)
        _ = try await server.ask(Self.create("12345"))
        let answer = try await server.ask(
            """
            mutation UpdatePost {
              updatePost(input: {id: "12345" title: "updated title 19:40" status: ACTIVE rating: 5 _version: 1}) {
                id title status rating createdAt updatedAt _lastChangedAt _version _deleted
              }
            }
            """)
        let post = try #require(answer["data"]?["updatePost"])
        #expect(post["title"]?.text == "updated title 19:40")
        #expect(post["_version"]?.number == 2)
        #expect(post["_deleted"] == .null)
        #expect((post["_lastChangedAt"]?.number ?? 0) > 1_700_000_000_000)
        #expect(post["createdAt"]?.text?.hasSuffix("Z") == true)

        // While the server runs, another process can read the store, but it cannot write.
        let row = try Tool.run("query", "--store", shop.store, "Post", "--json").object()
        #expect(row["title"]?.text == "updated title 19:40")
        #expect(row["_version"]?.number == 2)
        #expect(try server.stop() == 0)

        let again = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        let found = try await again.ask(#"{ getPost(id: "12345") { title _version } }"#)
        #expect(found["data"]?["getPost"]?["_version"]?.number == 2)
        #expect(try again.stop() == 0)
    }

    @Test("each kind of bad request has its status and its error")
    func statuses() async throws {
        let shop = try Self.shop()
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        let json = ["Content-Type": "application/json"]
        let key = json.merging(["x-api-key": ServerProcess.key]) { $1 }
        typealias Case = (
            method: String, path: String, headers: [String: String], body: String?, status: Int, type: String
        )
        let cases: [Case] =
            [
                ("POST", "/graphql", json, #"{"query":"{listPosts{items{id}}}"}"#, 401, "UnauthorizedException"),
                (
                    "POST", "/graphql", json.merging(["x-api-key": "da2-0123456780"]) { $1 },
                    #"{"query":"{listPosts{items{id}}}"}"#, 401, "UnauthorizedException"
                ),
                (
                    "POST", "/graphql", json.merging(["Authorization": "Bearer a.b.c"]) { $1 }, "{}", 401,
                    "UnauthorizedException"
                ),
                ("POST", "/graphql", key, "", 400, "MalformedHttpRequestException"),
                ("POST", "/graphql", key, "no JSON", 400, "MalformedHttpRequestException"),
                ("POST", "/graphql", key, "[]", 400, "MalformedHttpRequestException"),
                ("POST", "/graphql", key, "{}", 400, "MalformedHttpRequestException"),
                ("GET", "/graphql", key, nil, 400, "MalformedHttpRequestException"),
                ("GET", "/graphql?query=%7BlistPosts%7D&variables=1", key, nil, 400, "MalformedHttpRequestException"),
                ("PUT", "/graphql", key, "{}", 405, "BadRequestException"),
                ("POST", "/health", key, "{}", 405, "BadRequestException"),
                ("GET", "/elsewhere", key, nil, 404, "NotFoundException"),
                ("GET", "/schema.graphql", [:], nil, 401, "UnauthorizedException"),
            ]
        for (method, path, headers, body, status, type) in cases {
            let response = try await server.send(method, path, headers, body: body)
            #expect(response.status == status, "\(method) \(path) \(body ?? "")")
            let errors = try response.json()["errors"]?.elements ?? []
            #expect(errors.count == 1)
            #expect(errors.first?["errorType"]?.text == type, "\(method) \(path) \(body ?? "")")
            #expect(response.header("x-amzn-errortype") == type)
            #expect(response.header("x-amzn-requestid")?.count == 36)
        }
        let preflight = try await server.send(
            "OPTIONS", "/graphql", ["Access-Control-Request-Headers": "x-api-key, content-type", "Origin": "http://a"])
        #expect(preflight.status == 204)
        #expect(preflight.header("Access-Control-Allow-Headers") == "x-api-key, content-type")
        #expect(try await server.send("GET", "/health").text == #"{"status":"ok"}"#)
        let page = try await server.send("GET", "/")
        #expect(page.status == 200 && page.header("Content-Type") == "text/html;charset=UTF-8")
        #expect(page.text.contains("A Tidelog server") && !page.text.contains("da2-"))
        #expect(try await server.send("POST", "/", body: "{}").status == 405)
        let read = try await server.send("GET", "/graphql?query=%7BlistPosts%7Bitems%7Bid%7D%7D%7D", key)
        #expect(read.status == 200)
        #expect(read.header("Content-Type") == "application/json;charset=UTF-8")
        // Scripts of other origins may read the headers that this answer has.
        let exposed = read.header("Access-Control-Expose-Headers") ?? ""
        for name in ["x-amzn-requestid", "x-tidelog-records"] {
            #expect(exposed.contains(name) && read.header(name) != nil)
        }
        let write = "/graphql?query=mutation%7BdeletePost(input:%7Bid:1%7D)%7Bid%7D%7D"
        #expect(try await server.send("GET", write, key).status == 405)
        let source = try await server.send("GET", "/schema.graphql", key)
        #expect(source.text == Self.schema)
        #expect(try server.stop() == 0)
        // Only the ready line has the key, and no line has another credential.
        let written = server.child.lines.dropFirst().joined() + server.child.errorText
        #expect(written.contains(#""status":401"#))
        for secret in [ServerProcess.key, "da2-0123456780", "a.b.c"] { #expect(!written.contains(secret)) }
    }

    @Test("serve applies and reports a lossless schema change; any other change is exit 1 and changes nothing")
    func schemaChange() async throws {
        let shop = try Self.shop()
        let first = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        _ = try await first.ask(Self.create("p"))
        #expect(try first.stop() == 0)
        try shop.write(Self.schema.replacing("rating: Int", with: "rating: Int\n  note: String"), to: "more.graphql")
        try shop.write(Self.schema.replacing("rating: Int", with: "rating: [Int]"), to: "other.graphql")
        let before = try Tool.run("stats", "--store", shop.store, "--json").output

        let refused = try Tool.run(
            "serve", shop.file("other.graphql"), "--store", shop.store, "--port", "0", "--json")
        #expect(refused.status == 1)
        #expect(refused.lines.isEmpty)
        #expect(try refused.error()["code"]?.text == "invalidSchema")
        #expect(try refused.error()["message"]?.text?.contains("Post.rating") == true)
        #expect(try Tool.run("stats", "--store", shop.store, "--json").output == before)

        let server = try ServerProcess(shop.file("more.graphql"), store: shop.store)
        #expect(server.ready["schemaChanges"]?.elements.map(\.text) == ["Post.note: optional field added"])
        let found = try await server.ask(#"{ getPost(id: "p") { title note } }"#)
        #expect(found["data"]?["getPost"]?["note"] == .null)
        #expect(try server.stop() == 0)
    }

    @Test("serve refuses an app's store, and save, delete and import refuse a server's store")
    func kindsOfStores() throws {
        let shop = try Shop(notes: 3)
        let refused = try Tool.run("serve", shop.file("schema.graphql"), "--store", shop.store, "--json")
        #expect(refused.status == 2)
        #expect(try refused.error()["code"]?.text == "configurationMismatch")
        #expect(try Tool.run("query", "--store", shop.store, "Note", "--count").output == "3")

        let other = try Self.shop()
        let server = try ServerProcess(other.file("served.graphql"), store: other.store)
        #expect(try server.stop() == 0)
        try other.write(#"{"id":"a","title":"t","status":"ACTIVE"}"# + "\n", to: "posts")
        for arguments in [
            ["save", "--store", other.store, "Post", #"{"id":"a"}"#], ["delete", "--store", other.store, "Post", "a"],
            ["import", "--store", other.store, "Post", other.file("posts")],
            ["import", "--store", other.store, "--schema", other.file("served.graphql"), "Post", other.file("posts")],
        ] {
            let outcome = try Tool.run(arguments + ["--json"])
            #expect(outcome.status == 2, "\(arguments)")
            #expect(try outcome.error()["code"]?.text == "configurationMismatch")
        }
    }

    @Test("--write-config writes a complete configuration that only its owner can read")
    func configuration() throws {
        let shop = try Self.shop()
        let path = shop.file("amplifyconfiguration.json")
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store, ["--write-config", path])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let plugins = try JSONValue(parsing: bytes)["api"]?["plugins"]?["awsAPIPlugin"]
        let api = try #require(plugins?[plugins?.keys.first ?? ""])
        #expect(api["endpointType"]?.text == "GraphQL")
        #expect(api["endpoint"]?.text == server.endpoint.absoluteString)
        #expect(api["authorizationType"]?.text == "API_KEY")
        #expect(api["apiKey"]?.text == ServerProcess.key)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try server.stop() == 0)
    }

    @Test("--write-config amplify_outputs.json writes the file of Amplify's second generation")
    func outputs() throws {
        let shop = try Self.shop()
        try shop.write(Self.keySet, to: "jwks.json")
        let path = shop.file("amplify_outputs.json")
        let tokens = [
            "--jwks", shop.file("jwks.json"), "--issuer", "https://pool", "--oidc-issuer", "https://other",
            "--audience", "app",
        ]
        for (key, types) in [
            (ServerProcess.key, ["API_KEY", "AMAZON_COGNITO_USER_POOLS", "OPENID_CONNECT"]),
            (nil, ["AMAZON_COGNITO_USER_POOLS", "OPENID_CONNECT"]),
        ] as [(String?, [String])] {
            let server = try ServerProcess(
                shop.file("served.graphql"), store: shop.store, key: key, tokens + ["--write-config", path])
            let file = try JSONValue(parsing: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
            #expect(file.keys == ["version", "data"])
            let data = try #require(file["data"])
            #expect(data["url"]?.text == server.endpoint.absoluteString)
            #expect(data["aws_region"]?.text == "us-east-1")
            #expect(data["api_key"]?.text == key)
            #expect(data["default_authorization_type"]?.text == types.first)
            #expect(data["authorization_types"]?.elements.map(\.text) == types)
            #expect(data["model_introspection"]?["models"]?.keys == ["Post"])
            let configuration = try SyncConfiguration(contentsOf: URL(fileURLWithPath: path))
            #expect(configuration.endpoint == server.endpoint && configuration.apiKey == key)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            #expect(try server.stop() == 0)
        }
    }

    @Test("bad arguments, missing files, used ports and locked stores are refused; parts not served are listed")
    func refusals() throws {
        let shop = try Self.shop()
        let start = ["serve", shop.file("served.graphql"), "--store", shop.store, "--json"]
        for arguments in [
            ["--tls-cert", "a"], ["--jwks", "a"], ["--api-key", "short"], ["--port", "70000"], ["--delta-ttl", "-1"],
            ["--delta-ttl", "10", "--tombstone-ttl", "5"],
            ["--filter-limit", "0"], ["--response-limit", "0"],
            ["--response-limit", "20", "--responses-limit", "10"],
            ["--jwks", "a", "--issuer", "i"],
        ] {
            #expect(try Tool.run(start + arguments).status == 2, "\(arguments)")
        }
        #expect(!FileManager.default.fileExists(atPath: shop.store), "nothing is made for bad arguments")
        let certificate = try Tool.run(start + ["--port", "0", "--tls-cert", "nowhere", "--tls-key", "nowhere"])
        #expect(certificate.status == 1)
        #expect(try certificate.error()["message"]?.text?.contains("nowhere") == true)

        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        let other = try Self.shop()
        let taken = try Tool.run(
            "serve", other.file("served.graphql"), "--store", other.store, "--json", "--port",
            "\(server.endpoint.port ?? 0)")
        #expect(taken.status == 1)
        #expect(try taken.error()["code"]?.text == "listen")
        let locked = try Tool.run(start + ["--port", "0"])
        #expect(locked.status == 6)
        #expect(try server.stop() == 0)

        let search = try Self.shop(Self.schema.replacing("@model", with: "@model @searchable"))
        let partly = try ServerProcess(search.file("served.graphql"), store: search.store, key: nil)
        let told = partly.ready["notServed"]?.elements.compactMap(\.text) ?? []
        #expect(told.count == 1)
        #expect(told.first?.contains("@searchable on Post is not served") == true)
        #expect(partly.ready["apiKey"]?.text?.hasPrefix("da2-") == true)
        #expect(try partly.stop() == 0)
    }

    @Test("a server with an issuer's keys takes its tokens and no API key; a file without keys is exit 2")
    func tokens() async throws {
        let shop = try Self.shop(
            Self.schema.replacing("{allow: public}", with: "{allow: private, provider: oidc}"))
        // The private key of the key set has signed only this token, which expires in the year 2100.
        let token = [
            "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ",
            "eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwiYXVkIjoiYXBwIiwic3ViIjoicyIsImV4cCI6NDEwMjQ0NDgwMH0",
            "VRAKTa4zbN4oOQokhCHRBqLP1WE28b_km82_GvVIsTyP3VviPHaGjtka59jpBY2lNCUEb9LQ3dgrdvQ95aoE9g",
        ].joined(separator: ".")
        try shop.write(Self.keySet, to: "jwks.json")
        try shop.write("{}", to: "empty.json")
        let path = shop.file("config.json")
        let issuer = ["--oidc-issuer", "https://issuer.example", "--audience", "app", "--audience", "other"]
        let server = try ServerProcess(
            shop.file("served.graphql"), store: shop.store, key: nil,
            ["--jwks", shop.file("jwks.json"), "--write-config", path] + issuer)
        #expect(server.ready["apiKey"] == .null)
        let config = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        #expect(config.contains(#""authorizationType":"OPENID_CONNECT""#))
        #expect(!config.contains("apiKey"))
        #expect(try await server.post("{ listPosts { items { id } } }").status == 401)
        let created = try await server.post(Self.create("a"), ["Authorization": token])
        #expect(created.text == #"{"data":{"createPost":{"id":"a","_version":1}}}"#)
        let forged = ["Authorization": "\(token.dropLast(4))AAAA"]
        #expect(try await server.post("{ listPosts { items { id } } }", forged).status == 401)
        let both = ["Authorization": token, "x-api-key": ServerProcess.key]
        #expect(try await server.post("{ listPosts { items { id } } }", both).status == 401)
        #expect(try server.stop() == 0)
        let refused = try Tool.run(
            ["serve", shop.file("served.graphql"), "--store", shop.store, "--jwks", shop.file("empty.json"), "--json"]
                + issuer)
        #expect(refused.status == 2)
        #expect(try refused.error()["code"]?.text == "invalidKeys")
    }

    @Test("a mutation with a repeated id is not applied again, and every response has x-tidelog-mutation-id")
    func repeated() async throws {
        let shop = try Self.shop()
        let server = try ServerProcess(shop.file("served.graphql"), store: shop.store)
        let key = ["x-api-key": ServerProcess.key]
        let first = try await server.post(Self.create("a"), key.merging(["x-tidelog-mutation-id": "m-1"]) { $1 })
        #expect(first.text == #"{"data":{"createPost":{"id":"a","_version":1}}}"#)
        for header in ["m-1", " m-1 "] {
            let again = try await server.post(Self.create("a"), key.merging(["x-tidelog-mutation-id": header]) { $1 })
            #expect(again.text == first.text)
        }
        for header in ["m-2,m-3", "", "a b"] {
            let bad = try await server.post(Self.create("b"), key.merging(["x-tidelog-mutation-id": header]) { $1 })
            #expect(bad.text.contains("error"), "\(header)")
        }
        for (method, path) in [("GET", "/health"), ("GET", "/nowhere"), ("POST", "/graphql")] {
            #expect(try await server.send(method, path).header("x-tidelog-mutation-id") == "1")
        }
        #expect(try server.stop() == 0)
        let logged = try server.child.lines.dropFirst().map { try JSONValue(parsing: Array($0.utf8)) }
        let changes = logged.compactMap { $0["fields"]?.elements.first?["change"]?.text }
        #expect(changes == ["written", "repeated", "repeated"])
    }

    @Test("--conflict sets the strategy for all models or for one model, and each start may set another strategy")
    func strategies() async throws {
        let shop = try Self.shop()
        try shop.write("#!/bin/sh\necho '{\"action\":\"REJECT\"}'\n", to: "reject")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: shop.file("reject"))
        let update =
            #"mutation { updatePost(input: {id: "a", title: "new", rating: 4, _version: 7}) { title _version } }"#
        let cases: [(options: [String], title: String?, error: String?)] = [
            ([], "first", nil), (["--conflict", "optimistic"], nil, "ConflictUnhandled"),
            (["--conflict", "optimistic", "--conflict", "Post=automerge"], "first", nil),
            (["--conflict", "Post=custom:\(shop.file("reject"))"], nil, "ConflictUnhandled"),
        ]
        for (number, (options, title, error)) in cases.enumerated() {
            let server = try ServerProcess(shop.file("served.graphql"), store: shop.store, options)
            if number == 0 { _ = try await server.ask(Self.create("a")) }
            let answer = try await server.ask(update)
            #expect(answer["data"]?["updatePost"]?["title"]?.text == title)
            #expect(answer["errors"]?.elements.first?["errorType"]?.text == error)
            #expect(try server.stop() == 0)
        }
        for options in [["nothing"], ["Nobody=automerge"], ["custom:/nowhere/at/all"]] {
            let start = ["serve", shop.file("served.graphql"), "--store", shop.store, "--conflict"]
            #expect(try Tool.run(start + options).status == 2)
        }
    }
}
