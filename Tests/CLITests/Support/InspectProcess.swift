import FaultHarness
import Foundation
import TidelogJSON
import TidelogSync

/// A process that runs `tidelog inspect`.
final class InspectProcess {
    let child: ChildProcess
    /// The address of the page.
    let page: InspectedPage

    init(store: String) throws {
        child = try Tool.start(["inspect", "--store", store, "--json"])
        guard let line = try child.readLine() else {
            _ = try child.wait()
            throw ShopFailure(text: child.errorText)
        }
        page = try InspectedPage(JSONValue(parsing: Array(line.utf8))["inspector"]?.text ?? line)
    }

    /// Asks the process to stop. Returns its exit status.
    func stop() throws -> Int32 {
        child.signal(SIGTERM)
        return try Tool.finish(child).status
    }
}

/// A page that shows a store, as a client of its questions.
struct InspectedPage: Sendable {
    private let address: URL
    private let transport = CurlTransport()

    init(_ address: String) throws {
        guard let url = URL(string: address), url.port != nil else { throw ShopFailure(text: address) }
        self.address = url
    }

    /// The answer to a question, with its status.
    func send(_ method: String, _ question: String) async throws -> (status: Int, body: JSONValue) {
        guard let url = URL(string: "api/" + question, relativeTo: address)?.absoluteURL else {
            throw ShopFailure(text: question)
        }
        let headers = ["Origin": "http://\(address.host ?? ""):\(address.port ?? 0)"]
        let response = try await transport.send(TransportRequest(method, url, headers: headers))
        return (response.status, try JSONValue(parsing: response.body))
    }

    /// The answer to a question that only reads.
    func ask(_ question: String) async throws -> JSONValue {
        let answer = try await send("GET", question)
        guard answer.status == 200 else { throw ShopFailure(text: "\(answer)") }
        return answer.body
    }
}
