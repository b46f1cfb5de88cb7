import FaultHarness
import Foundation
import TestWaiting
import Testing
import TidelogGraphQLExecution
import TidelogJSON

@testable import TidelogServer

@Suite("URLs that decide conflicts")
struct ConflictURLTests {
    private static func strategy(_ url: String) throws -> ConflictStrategy {
        var options = ServiceOptions()
        try options.setConflict("custom:\(url)")
        return options.strategy
    }

    /// Runs `test` with a scene that posts its conflicts to a local server. The responses of `respond` decide the conflicts.
    private static func deciding(
        timeLimit: Duration = .seconds(10), _ respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
        test: (ConflictScene) async throws -> Void
    ) async throws {
        let service = ListenerService(respond: respond, refuse: { refusal, _ in HTTPResponse(status: refusal.status) })
        try await serving(service) { listener in
            let strategy = try Self.strategy("http://127.0.0.1:\(listener.port)/decide?x=y")
            try await test(try await ConflictScene(strategy, timeLimit: timeLimit))
        }
    }

    @Test("the conflict is posted as JSON, and the verdict of the response is applied")
    func verdicts() async throws {
        let seen = Shared<HTTPRequest?>(nil)
        try await Self.deciding { request in
            seen.set(request)
            let field = (try? JSONValue(parsing: request.body))?["resolver"]?["field"]
            let text =
                field == .string("deletePlayer")
                ? #"{"action":"REMOVE"}"# : #"{"action":"RESOLVE","item":{"name":"Both","jersey":7}}"#
            return HTTPResponse(status: 200, text: text)
        } test: { scene in
            let updated = try await scene.update()
            #expect(updated == #"{"data":{"updatePlayer":{"name":"Both","jersey":7,"_version":3}}}"#)
            #expect(seen.value?.method == "POST")
            #expect(seen.value?.path == "/decide")
            #expect(seen.value?.headers["Content-Type"] == "application/json")
            let deleted = try await scene.delete()
            #expect(deleted == #"{"data":{"deletePlayer":{"name":"Both","_version":4,"_deleted":true}}}"#)
        }
    }

    @Test("a large conflict is posted completely")
    func largeCase() async throws {
        let count = Shared(0)
        try await Self.deciding { request in
            count.set(request.body.count)
            return HTTPResponse(status: 200, text: #"{"action":"REJECT"}"#)
        } test: { scene in
            _ = try await scene.served.ask(
                "mutation ($n: String) { updatePlayer(input: {id: \"1\", name: $n, _version: 1}) { jersey } }",
                ["n": .string(String(repeating: "n", count: 300_000))])
            #expect(count.value > 600_000)
        }
    }

    @Test("a change is refused after an error status, a redirect, or an invalid or too long response")
    func failures() async throws {
        let answers: [HTTPResponse] = [
            HTTPResponse(status: 500, text: #"{"action":"REJECT"}"#), HTTPResponse(status: 204),
            HTTPResponse(status: 200, text: "nonsense"), HTTPResponse(status: 200, text: #"{"action":"REMOVE"}"#),
            HTTPResponse(status: 302, headers: ["Location": "file:///etc/passwd"]),
            HTTPResponse(status: 307, headers: ["Location": "/other"]),
            HTTPResponse(status: 200, body: Array(repeating: UInt8(ascii: " "), count: 2 << 20)),
        ]
        let paths = Shared<[String]>([])
        try await Self.deciding { request in
            paths.update { $0.append(request.path) }
            return answers[(paths.value.count - 1) % answers.count]
        } test: { scene in
            for number in answers.indices {
                let response = try await scene.update()
                #expect(response.isRefused("ConflictError", version: 2), "\(number): \(response)")
            }
            #expect(paths.value == Array(repeating: "/decide", count: answers.count))
        }
    }

    @Test("a change is refused if the service does not answer in time or does not exist")
    func noAnswer() async throws {
        try await Self.deciding(timeLimit: .milliseconds(200)) { _ in
            try? await Task.sleep(for: .seconds(60))
            return HTTPResponse(status: 200, text: #"{"action":"REJECT"}"#)
        } test: { scene in
            let response = try await scene.update()
            #expect(response.isRefused("ConflictError", version: 2), "\(response)")
        }
        let scene = try await ConflictScene(try Self.strategy("http://127.0.0.1:1/"))
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
    }

    @Test(
        "a service with an untrusted certificate gets no request, and the change is refused",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func untrusted() async throws {
        let directory = try TemporaryDirectory()
        let files = try CommandLineTools.makeIdentity(in: directory)
        let requests = Shared(0)
        let service = ListenerService { _ in
            requests.update { $0 += 1 }
            return HTTPResponse(status: 200, text: #"{"action":"REJECT"}"#)
        }
        try await serving(service, identity: TLSIdentity(certificateFile: files.certificate, keyFile: files.key)) {
            let scene = try await ConflictScene(try Self.strategy("https://localhost:\($0.port)/"))
            #expect(try await scene.update().isRefused("ConflictError", version: 2))
            #expect(requests.value == 0)
        }
    }
}
