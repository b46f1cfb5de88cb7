import Foundation
internal import TidelogJSON

/// A client that syncs all posts for the first time, page by page.
struct SyncClient {
    /// How many posts the client asks for at once, which is the most that a server returns.
    static let pageLimit = 1_000

    let port: Int

    func run(expecting records: Int) throws -> ClientResult {
        let socket = try ClientSocket(port: port)
        var result = ClientResult()
        var token: String?
        let began = Clock.now()
        repeat {
            let sent = Clock.now()
            try socket.send(Self.request(after: token))
            var page: (count: Int, next: String?)?
            while page == nil { page = try socket.receive(Self.page) }
            result.latencies.append(Clock.now() - sent)
            result.operations += page?.count ?? 0
            token = page?.next
        } while token != nil
        result.seconds = Double(Clock.now() - began) / 1e9
        guard result.operations == records else { throw ClientFailure("\(result.operations) posts of \(records) came") }
        return result
    }

    private static let query =
        "query SyncPosts($limit: Int, $nextToken: String) { syncPosts(limit: $limit, nextToken: $nextToken) "
        + "{ items { \(ClientRequest.fields) } nextToken startedAt } }"

    private static func request(after token: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        writer.string(query)
        writer.key("variables")
        writer.beginObject()
        writer.key("limit")
        writer.int(Int64(pageLimit))
        writer.key("nextToken")
        if let token { writer.string(token) } else { writer.null() }
        writer.endObject()
        writer.endObject()
        return ClientRequest.bytes(writer.bytes)
    }

    /// The number of posts in a page, and the token of the next page.
    private static func page(_ body: UnsafeRawBufferPointer) throws -> (count: Int, next: String?) {
        let start = Array("{\"data\":{\"syncPosts\":{\"items\":[".utf8)
        let mark = "],\"nextToken\":"
        try ClientRequest.check(body, beginsWith: start)
        // Posts contain no brackets, so the last bracket ends the list.
        guard let end = body.lastIndex(of: UInt8(ascii: "]")) else { throw ClientFailure("a page has no end") }
        let rest = String(decoding: body[end...], as: UTF8.self)
        guard rest.hasPrefix(mark), rest.contains("\"startedAt\":") else { throw ClientFailure("a page ends \(rest)") }
        let value = rest.dropFirst(mark.count)
        let token = value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : nil
        // Each item is one object without nested objects.
        let count = body[start.count..<end].reduce(0) { $0 + ($1 == UInt8(ascii: "{") ? 1 : 0) }
        return (count, token.map { String($0) })
    }
}
