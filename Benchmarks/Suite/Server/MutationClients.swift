import Foundation

/// Clients that each create one post after the other. One thread serves all of them.
struct MutationClients {
    let port: Int
    let records: Int
    let clients: Int

    /// A client with its requests, which are made before the timing.
    private struct Client {
        let socket: ClientSocket
        var numbers: Range<Int>
        var sentAt: UInt64 = 0
    }

    func run() throws -> ClientResult {
        let share = records / clients
        let generator = PostGenerator(.server)
        let requests = (0..<(share * clients)).map { ClientRequest.creation(of: generator.post($0)) }
        let answers = (0..<(share * clients)).map { ClientRequest.created(generator.identifier($0)) }
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
        result.operations = result.latencies.count
        return result
    }
}
