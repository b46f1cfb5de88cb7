import Foundation
import TestStores
import Testing
import Tidelog
import TidelogInspector
import TidelogJSON

@Suite("Who can open the page", .timeLimit(.minutes(5)))
struct AccessTests {
    /// The files of the page, and a question.
    private static let paths = ["", "page.css", "page.js", "api/store"]

    @Test("without the token, every path is 403, and the answer has nothing of the store")
    func token() async throws {
        try await withInspector { store, visitor in
            try await store.save(Note(id: "secret", title: "secret"))
            let token = visitor.address.path.split(separator: "/")[0]
            #expect(token.utf8.count == 32)
            let others = ["/\(token.dropLast())", "/\(token)A/api/store", "/\(String(token.reversed()))/"]
            for path in ["/", "/favicon.ico", "/index.html", "/api/store"] + others {
                for method in ["GET", "POST"] {
                    let answer = try await visitor.send(method, path, ["Origin": "http://\(visitor.host)"])
                    #expect(answer.status == 403, "\(method) \(path)")
                    #expect(!answer.text.contains("secret") && !answer.text.contains(token), "\(path)")
                }
            }
            for path in Self.paths { #expect(try await visitor.send("GET", path).status == 200) }
            #expect(try await visitor.send("GET", "/\(token)").headers["location"] == "/\(token)/")
            #expect(try await visitor.send("GET", "nothing.js").status == 404)
            #expect(try await visitor.send("GET", "api/nothing").status == 404)
            #expect(try await visitor.send("DELETE", "api/store").status == 405)
            #expect(try await visitor.send("GET", "api/outbox/retry?sequence=1").status == 405)
        }
    }

    @Test("only names of this computer are accepted as the host, with any port")
    func host() async throws {
        try await withInspector { _, visitor in
            for host in ["localhost", "localhost:8080", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:9", visitor.host] {
                let answer = try await visitor.send("GET", "", ["Host": host])
                #expect(answer.status == 200, "\(host)")
            }
            for host in [
                "example.com", "localhost.example.com", "127.0.0.1.example.com", "127.0.0.10",
                "localhost:80@example.com", "localhost:", "evil-localhost", "[::2]", "0.0.0.0", "127.0.0.1:80:80",
            ] {
                for path in Self.paths {
                    let answer = try await visitor.send("GET", path, ["Host": host])
                    #expect(answer.status == 403, "\(host) \(path)")
                }
            }
        }
    }

    @Test("a page of another origin gets nothing, and a change needs the page's own origin")
    func origin() async throws {
        try await withInspector { _, visitor in
            let own = "http://\(visitor.host)"
            for origin in ["http://example.com", "null", "https://\(visitor.host)", "http://localhost:1"] {
                for path in Self.paths {
                    let answer = try await visitor.send("GET", path, ["Origin": origin])
                    #expect(answer.status == 403, "\(origin)")
                }
                let change = try await visitor.send("POST", "api/outbox/discard?sequence=1", ["Origin": origin])
                #expect(change.status == 403, "\(origin)")
            }
            let read = try await visitor.send("GET", "api/store", ["Origin": own])
            #expect(read.status == 200)
            #expect(try await visitor.send("POST", "api/outbox/discard?sequence=1").status == 403)
            let change = try await visitor.send("POST", "api/outbox/discard?sequence=1", ["Origin": own])
            #expect(change.status == 200 && change.text == #"{"isDecided":false}"#)
        }
    }

    @Test("every answer forbids other sources, frames and scripts in texts, and keeps the address from other sites")
    func headers() async throws {
        try await withInspector { _, visitor in
            for path in Self.paths + ["/elsewhere", "api/records?model=None"] {
                let answer = try await visitor.send("GET", path)
                let policy = answer.headers["content-security-policy"] ?? ""
                for rule in [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
                    "require-trusted-types-for 'script'",
                ] { #expect(policy.contains(rule), "\(path): \(rule)") }
                #expect(!policy.contains("unsafe") && !policy.contains("*"))
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["cross-origin-resource-policy"] == "same-origin")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
        }
    }

    @Test("the page names no address of another site, has no inline script or style, and makes no HTML of texts")
    func files() async throws {
        try await withInspector { _, visitor in
            let page = try await visitor.send("GET", "").text
            let linked = page.matches(of: /(?:src|href)="([^"#]+)"/).map { String($0.1) }
            #expect(Set(linked) == ["icon.svg", "page.css", "page.js"])
            #expect(!page.contains("<style") && !page.contains("style=") && !page.contains(" on"))
            var scripts = ["page.js"]
            var index = 0
            while index < scripts.count {
                let script = try await visitor.send("GET", scripts[index])
                #expect(script.status == 200, "\(scripts[index])")
                #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
                for name in script.text.matches(of: /from "\.\/([a-z]+\.js)"/).map({ String($0.1) })
                where !scripts.contains(name) { scripts.append(name) }
                index += 1
            }
            #expect(scripts.count == 9)
            for name in scripts + ["", "page.css"] {
                let text = try await visitor.send("GET", name).text
                #expect(!text.contains("://") && !text.contains("@import"), "\(name)")
                for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                    #expect(!text.contains(sink), "\(name): \(sink)")
                }
            }
            let icon = try await visitor.send("GET", "icon.svg")
            #expect(icon.headers["content-type"] == "image/svg+xml" && !icon.text.contains("script"))
        }
    }

    @Test("each start has another token, and the page ends with stop()")
    func stop() async throws {
        let scratch = try Scratch()
        let store = try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: .inMemory())
        let (first, second) = (try await store.inspect(), try await store.inspect())
        #expect(first.address != second.address && first.address.hasPrefix("http://127.0.0.1:"))
        let visitor = try Visitor(first)
        #expect(try await visitor.send("GET", "").status == 200)
        await first.stop()
        await #expect(throws: (any Error).self) { try await visitor.send("GET", "") }
        let port = try #require(Visitor(second).address.port)
        await #expect(throws: DataStoreError.self) { try await store.inspect(port: port) }
        await second.stop()
        #expect(try await store.count(Note.all) == 0)
        try await store.close()
    }
}
