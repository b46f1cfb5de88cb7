import Foundation

/// Clients that each create posts, one document after the other. One thread serves all of them.
struct MutationClients {
    /// The ports of the servers. Each client stays at one of them.
    let ports: [Int]
    let records: Int
    let clients: Int
    /// The number of posts that a document creates.
    var documentSize = 1

    /// A client with its requests, which are made before the timing.
    private struct Client {
        let socket: ClientSocket
        var numbers: Range<Int>
        var sentAt: UInt64 = 0
    }

    func run() throws -> ClientResult {
        let share = records / clients / documentSize
        let (requests, answers) = exchanges(share * clients, of: PostGenerator(.server))
        var clients = try (0..<clients).map { number in
            Client(
                socket: try ClientSocket(port: ports[number % ports.count]),
                numbers: (number * share)..<((number + 1) * share))
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
                let answer = answers[clients[index].numbers.lowerBound]
                guard try clients[index].socket.receive({ try ClientRequest.check($0, beginsWith: answer) }) != nil
                else { continue }
                let now = Clock.now()
                result.latencies.append(now - clients[index].sentAt)
                clients[index].numbers.removeFirst()
                guard let next = clients[index].numbers.first else { continue }
                clients[index].sentAt = now
                try clients[index].socket.send(requests[next])
            }
        }
        result.seconds = Double(Clock.now() - began) / 1e9
        result.operations = result.latencies.count * documentSize
        return result
    }

    /// The requests, and the beginnings of their responses.
    private func exchanges(_ count: Int, of generator: PostGenerator) -> (requests: [[UInt8]], answers: [[UInt8]]) {
        guard documentSize > 1 else {
            return (
                (0..<count).map { ClientRequest.creation(of: generator.post($0)) },
                (0..<count).map { ClientRequest.created(generator.identifier($0)) }
            )
        }
        let documents = (0..<count).map { ($0 * documentSize)..<(($0 + 1) * documentSize) }
        return (
            documents.map { ClientRequest.creation(ofAll: $0.map { generator.post($0) }) },
            documents.map { Array("{\"data\":{\"m0\":{\"id\":\"\(generator.identifier($0.lowerBound))\",".utf8) }
        )
    }
}
