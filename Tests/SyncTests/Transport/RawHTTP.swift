import Foundation
import RawServer
import Testing
import TidelogTransport

/// Requests to servers of the tests, and their responses, for every kind of transport.
enum RawHTTP {
    static func request(
        _ port: Int, _ path: String = "/", method: String = "GET", timeout: Duration = .seconds(60)
    ) throws -> TransportRequest {
        TransportRequest(method, try #require(URL(string: "http://127.0.0.1:\(port)\(path)")), timeout: timeout)
    }

    /// A server that answers each request with `response`. If `closes` is set, it closes each connection after the first
    /// answer.
    static func server(_ response: [UInt8], closes: Bool = false) throws -> RawServer {
        try RawServer { connection in
            repeat {
                _ = try connection.request()
                try connection.send(response)
            } while !closes
        }
    }

    /// A response with the status 200 and these further fields, each of which ends its line.
    static func response(_ fields: String, _ body: [UInt8]) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}
