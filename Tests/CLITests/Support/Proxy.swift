import Foundation
import RawServer
import TidelogSynchronization

/// A network between devices and a server on this computer. A test decides how it treats the bytes.
final class Proxy: Sendable {
    /// Bytes that arrived at the proxy.
    struct Arrival: Sendable {
        enum Direction: Sendable {
            case toServer, toDevice
        }

        let direction: Direction
        /// The request in these bytes. For bytes to the device, this is the latest request of the connection.
        let request: String
        /// Whether these are the first bytes after the request.
        let isFirst: Bool
        let byteCount: Int

        /// Whether these bytes start the answer to a mutation. The server has then committed the mutation.
        var isAnswerToMutation: Bool { direction == .toDevice && isFirst && isMutation }
        var isMutation: Bool { mutationID != nil }

        /// The id that the device gave to the mutation.
        var mutationID: String? {
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-tidelog-mutation-id: ") }
                .map { String($0.dropFirst("x-tidelog-mutation-id: ".count)) }
        }
    }

    /// How the proxy treats bytes that arrived.
    enum Treatment: Sendable {
        case pass
        /// The bytes are delayed, and so are all bytes after them.
        case late(milliseconds: Int)
        /// The bytes are lost, and the connection ends.
        case cut
        /// The first half of the bytes passes, and the connection ends.
        case cutWithin
        /// These bytes and all later ones in their direction are lost, and the connection stays open.
        case silence
        /// The request reaches the server twice. The second request uses a new connection, and its answer is lost.
        case twice
    }

    private let server: RawServer

    /// The port that devices use.
    var port: Int { server.port }

    /// - Parameter treat: Decides how bytes are treated. Any thread may call it.
    init(toPort port: Int, _ treat: @escaping @Sendable (Arrival) -> Treatment) throws {
        server = try RawServer { device in
            let passage = Passage(device: device, server: try RawConnection(toPort: port), port: port, treat)
            passage.run()
        }
    }
}

/// One connection through a proxy.
private final class Passage: Sendable {
    private let device: RawConnection
    private let server: RawConnection
    private let port: Int
    private let treat: @Sendable (Proxy.Arrival) -> Proxy.Treatment
    /// The latest request, and whether an answer to it has begun.
    private let latest = Mutex((request: "", isAnswered: false))

    init(
        device: RawConnection, server: RawConnection, port: Int,
        _ treat: @escaping @Sendable (Proxy.Arrival) -> Proxy.Treatment
    ) {
        (self.device, self.server, self.port, self.treat) = (device, server, port, treat)
    }

    /// Forwards bytes until one side, or the treatment of bytes, ends the connection.
    func run() {
        let answering = DispatchGroup()
        answering.enter()
        Thread.detachNewThread { [self] in
            try? forwardAnswers()
            end()
            answering.leave()
        }
        try? forwardRequests()
        end()
        answering.wait()
        server.close()
    }

    private func end() {
        device.end()
        server.end()
    }

    private func forwardRequests() throws {
        var isSocket = false
        var isSilent = false
        while true {
            // After the upgrade to a WebSocket, the bytes are messages and not requests.
            let bytes = isSocket ? try device.receiveSome() : try nextRequest()
            let request = latest.withLock { $0.request }
            isSocket = isSocket || request.lowercased().contains("upgrade: websocket")
            guard !isSilent else { continue }
            let arrival = Proxy.Arrival(
                direction: .toServer, request: request, isFirst: !isSocket,
                byteCount: bytes.count)
            isSilent = try forward(bytes, arrival, to: server)
        }
    }

    private func nextRequest() throws -> [UInt8] {
        let request = try device.request()
        latest.withLock { $0 = (request, false) }
        return Array(request.utf8)
    }

    private func forwardAnswers() throws {
        var isSilent = false
        while true {
            let bytes = try server.receiveSome()
            guard !isSilent else { continue }
            let arrival = latest.withLock { latest in
                defer { latest.isAnswered = true }
                return Proxy.Arrival(
                    direction: .toDevice, request: latest.request, isFirst: !latest.isAnswered,
                    byteCount: bytes.count)
            }
            isSilent = try forward(bytes, arrival, to: device)
        }
    }

    /// Forwards, delays or loses the bytes. Returns whether all later bytes of this direction are lost.
    private func forward(_ bytes: [UInt8], _ arrival: Proxy.Arrival, to other: RawConnection) throws -> Bool {
        switch treat(arrival) {
        case .pass: try other.send(bytes)
        case .late(let milliseconds):
            Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000)
            try other.send(bytes)
        case .cut: throw RawConnection.Ended()
        case .cutWithin:
            try other.send(Array(bytes.prefix(bytes.count / 2)))
            throw RawConnection.Ended()
        case .silence: return true
        case .twice:
            try other.send(bytes)
            let again = try RawConnection(toPort: port)
            Thread.detachNewThread {
                try? again.send(bytes)
                _ = try? again.receiveSome()
                again.close()
            }
        }
        return false
    }
}
