import Foundation

/// Many clients that subscribe, and one client that creates posts. Each post reaches all subscribers before the next is
/// created.
struct FanOutClients {
    let port: Int
    let subscribers: Int
    let mutations: Int

    func run() throws -> ClientResult {
        try Loopback.allowDescriptors(subscribers + 100)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 16)
        defer { scratch.deallocate() }
        let sockets = try (0..<subscribers).map { _ in try SubscriberSocket(port: port, scratch) }
        let writer = try ClientSocket(port: port)
        var waiting = ([writer.descriptor] + sockets.map(\.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var result = ClientResult()
        let generator = PostGenerator(.server)
        for number in 0..<mutations {
            let id = generator.identifier(number)
            let request = ClientRequest.creation(of: generator.post(number))
            var news = News(id: id, subscribers: subscribers)
            let began = Clock.now()
            try writer.send(request)
            var isAnswered = false
            while !isAnswered || news.told < subscribers {
                guard poll(&waiting, nfds_t(waiting.count), 30_000) > 0 else {
                    throw ClientFailure("\(news.told) of \(subscribers) subscribers were told in 30 s")
                }
                if waiting[0].revents != 0 {
                    let answer = ClientRequest.created(id)
                    isAnswered = try writer.receive { try ClientRequest.check($0, beginsWith: answer) } != nil
                }
                for index in sockets.indices where waiting[index + 1].revents != 0 {
                    try sockets[index].receive(scratch) { try news.take($0, by: index) }
                }
            }
            result.latencies.append(news.lastAt - began)
            result.firstLatencies.append(news.firstAt - began)
            result.operations += news.told
        }
        result.seconds = Double(result.latencies.reduce(0, +)) / 1e9
        return result
    }

    /// The message about one post, and the subscribers that have received it.
    private struct News {
        private let id: String
        private var isTold: [Bool]
        /// The first message. All later messages must be equal to it.
        private var message: [UInt8] = []
        private(set) var told = 0
        private(set) var firstAt: UInt64 = 0
        private(set) var lastAt: UInt64 = 0

        init(id: String, subscribers: Int) {
            self.id = id
            isTold = [Bool](repeating: false, count: subscribers)
        }

        mutating func take(_ bytes: UnsafeRawBufferPointer, by subscriber: Int) throws {
            // A keep-alive message does not count.
            if bytes.starts(with: "{\"type\":\"ka\"".utf8) { return }
            if message.isEmpty {
                let text = String(decoding: bytes, as: UTF8.self)
                guard text.contains("\"onCreatePost\":{\"id\":\"\(id)\""), !text.contains("\"errors\"") else {
                    throw ClientFailure("a subscriber was told \(text)")
                }
                message = Array(bytes)
                firstAt = Clock.now()
            }
            guard message.withUnsafeBytes({ $0.elementsEqual(bytes) }), !isTold[subscriber] else {
                throw ClientFailure("a subscriber was told something else, or twice")
            }
            isTold[subscriber] = true
            told += 1
            if told == isTold.count { lastAt = Clock.now() }
        }
    }
}
