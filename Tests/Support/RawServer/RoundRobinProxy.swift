internal import Foundation
internal import TidelogSynchronization

/// A load balancer for tests: a TCP proxy that connects each client with the next of several servers on this computer. It
/// leaves out a server that does not accept connections.
package final class RoundRobinProxy: Sendable {
    private let server: RawServer
    private let turns: Turns

    /// The port for clients.
    package var port: Int { server.port }

    /// The number of connections that were made to each server, by its port.
    package var connectionCounts: [Int: Int] { turns.state.withLock { $0.counts } }

    /// - Parameter ports: The ports of the servers.
    package init(to ports: [Int]) throws {
        let turns = Turns(ports)
        self.turns = turns
        server = try RawServer { client in
            let server = try turns.connect()
            let answering = DispatchGroup()
            answering.enter()
            Thread.detachNewThread {
                Self.pass(from: server, to: client)
                answering.leave()
            }
            Self.pass(from: client, to: server)
            answering.wait()
            server.close()
        }
    }

    /// Connects the next clients with the servers at other ports. Open connections stay as they are.
    package func replace(_ ports: [Int]) { turns.state.withLock { $0.ports = ports } }

    /// Passes bytes until one side ends.
    private static func pass(from source: RawConnection, to target: RawConnection) {
        while let bytes = try? source.receiveSome(), (try? target.send(bytes)) != nil {}
        source.end()
        target.end()
    }

    /// The servers in turn.
    private final class Turns: Sendable {
        struct State {
            var ports: [Int]
            var next = 0
            var counts: [Int: Int] = [:]
        }

        let state: Mutex<State>

        init(_ ports: [Int]) { state = Mutex(State(ports: ports)) }

        /// Connects with the next server that accepts a connection.
        func connect() throws -> RawConnection {
            for _ in 0..<state.withLock({ $0.ports.count }) {
                let port = state.withLock { state in
                    state.next += 1
                    return state.ports[state.next % state.ports.count]
                }
                guard let connection = try? RawConnection(toPort: port) else { continue }
                state.withLock { $0.counts[port, default: 0] += 1 }
                return connection
            }
            throw RawConnection.Ended()
        }
    }
}
