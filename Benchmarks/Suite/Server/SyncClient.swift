import Foundation
internal import TidelogJSON

/// A client that syncs all posts for the first time, page by page.
struct SyncClient {
    /// How many posts the client asks for at once, which is the most that a server returns.
    static let pageLimit = 1_000

    /// The bound of ratings that 1 % of the posts have.
    static let onePercent = PostGenerator.ratingCount / 100

    let port: Int
    /// The client asks only for posts with a rating below this one; `nil` for all posts.
    var ratingBound: Int?

    /// Syncs with a server that has `records` posts, all of which count as operations, also if the filter drops them.
    func run(_ records: Int) throws -> ClientResult {
        let expected = ratingBound.map { Self.count(below: $0, of: records) } ?? records
        var received = 0
        let socket = try ClientSocket(port: port)
        var result = ClientResult()
        var token: String?
        let began = Clock.now()
        repeat {
            let sent = Clock.now()
            try socket.send(request(after: token))
            var page: (count: Int, next: String?)?
            while page == nil { page = try socket.receive(Self.page) }
            result.latencies.append(Clock.now() - sent)
            received += page?.count ?? 0
            token = page?.next
        } while token != nil
        result.seconds = Double(Clock.now() - began) / 1e9
        guard received == expected else { throw ClientFailure("\(received) posts of \(expected) came") }
        result.operations = records
        return result
    }

    /// The number of posts with a rating below `bound` among the first `count` posts.
    private static func count(below bound: Int, of count: Int) -> Int {
        let generator = PostGenerator(.server)
        return (0..<count).count { generator.post($0).rating < bound }
    }

    private var query: String {
        let filter = ratingBound.map { ", filter: {rating: {lt: \($0)}}" } ?? ""
        return "query SyncPosts($limit: Int, $nextToken: String) "
            + "{ syncPosts(limit: $limit, nextToken: $nextToken\(filter)) "
            + "{ items { \(ClientRequest.fields) } nextToken startedAt } }"
    }

    private func request(after token: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        writer.string(query)
        writer.key("variables")
        writer.beginObject()
        writer.key("limit")
        writer.int(Int64(Self.pageLimit))
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
        guard let end = body.lastIndex(of: UInt8(ascii: "]")) else { throw ClientFailure("a page does not end") }
        let rest = String(decoding: body[end...], as: UTF8.self)
        guard rest.hasPrefix(mark), rest.contains("\"startedAt\":") else { throw ClientFailure("a page ends \(rest)") }
        let value = rest.dropFirst(mark.count)
        let token = value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : nil
        // Each item is one object without nested objects.
        let count = body[start.count..<end].reduce(0) { $0 + ($1 == UInt8(ascii: "{") ? 1 : 0) }
        return (count, token.map { String($0) })
    }
}
