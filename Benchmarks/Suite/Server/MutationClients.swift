import Foundation
internal import TidelogJSON

/// Clients that each create one post after the other: one thread looks after them all.
struct MutationClients {
    let port: Int
    let records: Int
    let clients: Int

    /// What a client has to send, made before.
    private struct Client {
        let socket: ClientSocket
        var numbers: Range<Int>
        var sentAt: UInt64 = 0
    }

    func run() throws -> ClientResult {
        let share = records / clients
        let generator = PostGenerator(.server)
        let requests = (0..<(share * clients)).map { Self.request(generator.post($0)) }
        let answers = (0..<(share * clients)).map {
            Array("{\"data\":{\"createPost\":{\"id\":\"\(generator.identifier($0))\",".utf8)
        }
        var clients = try (0..<clients).map {
            Client(socket: try ClientSocket(port: port), numbers: ($0 * share)..<(($0 + 1) * share))
        }
        var result = ClientResult()
        result.latencies.reserveCapacity(requests.count)
        var waiting = clients.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
        let began = Clock.now()
        for index in clients.indices {
            clients[index].sentAt = Clock.now()
            try clients[index].socket.send(requests[clients[index].numbers.lowerBound])
        }
        while result.latencies.count < requests.count {
            guard poll(&waiting, nfds_t(waiting.count), 30_000) > 0 else { throw ClientFailure("no answer in 30 s") }
            for index in waiting.indices where waiting[index].revents != 0 {
                let number = clients[index].numbers.lowerBound
                guard try clients[index].socket.receive({ try Self.check($0, answers[number]) }) != nil else {
                    continue
                }
                let now = Clock.now()
                result.latencies.append(now - clients[index].sentAt)
                clients[index].numbers.removeFirst()
                guard let next = clients[index].numbers.first else { continue }
                clients[index].sentAt = now
                try clients[index].socket.send(requests[next])
            }
        }
        result.seconds = Double(Clock.now() - began) / 1e9
        result.operations = result.latencies.count
        return result
    }

    /// A response is right if it is about the post and has no errors.
    private static func check(_ body: UnsafeRawBufferPointer, _ answer: [UInt8]) throws {
        guard body.starts(with: answer), body.suffix(3).elementsEqual("}}}".utf8) else {
            throw ClientFailure("a mutation failed: \(String(decoding: body, as: UTF8.self))")
        }
    }

    private static let query =
        "mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { \(ClientRequest.fields) } }"

    private static func request(_ post: Post) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("query")
        writer.string(query)
        writer.key("variables")
        writer.beginObject()
        writer.key("input")
        writer.beginObject()
        for (name, text) in [
            ("id", post.id), ("title", post.title), ("content", post.content), ("status", post.status),
            ("createdAt", post.createdAt), ("updatedAt", post.updatedAt),
        ] {
            writer.key(name)
            writer.string(text)
        }
        writer.key("rating")
        writer.int(Int64(post.rating))
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return ClientRequest.bytes(writer.bytes)
    }
}
