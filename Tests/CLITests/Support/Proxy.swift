import Foundation
import RawServer
import Synchronization

/// A network between devices and a server on this computer, which does with bytes what a test wants.
final class Proxy: Sendable {
    /// Bytes that came.
    struct Arrival: Sendable {
        enum Direction: Sendable {
            case toServer, toDevice
        }

        let direction: Direction
        /// The request itself, or the latest one of the connection if the bytes go to the device.
        let request: String
        /// Whether they are the first ones after the request.
        let isFirst: Bool

        /// Whether they are the start of the answer to a mutation: the server has committed it.
        var isAnswerToMutation: Bool { direction == .toDevice && isFirst && isMutation }
        var isMutation: Bool { mutationID != nil }

        /// The id that the device gave to the mutation.
        var mutationID: String? {
            request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("x-tidelog-mutation-id: ") }
                .map { String($0.dropFirst("x-tidelog-mutation-id: ".count)) }
        }
    }

    /// The treatment of bytes that came.
    enum Treatment: Sendable {
        case pass
        /// They arrive later, and so do all bytes after them.
        case late(milliseconds: Int)
        /// They are lost, and the connection ends.
        case cut
        /// Half of them arrive, and the connection ends.
        case cutWithin
        /// They and all that follows in their direction are lost, and the connection stays.
        case silence
        /// A request reaches the server twice, the second time on a connection of its own whose answer is lost.
        case twice
    }

    private let server: RawServer

    /// The port that devices use.
    var port: Int { server.port }

    /// - Parameter treat: Decides what becomes of bytes; called on any thread.
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

    /// Forwards until one side ends the connection, or the treatment does.
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
            // The messages of a WebSocket are no requests.
            let bytes = isSocket ? try device.receiveSome() : try nextRequest()
            let request = latest.withLock { $0.request }
            isSocket = isSocket || request.lowercased().contains("upgrade: websocket")
            guard !isSilent else { continue }
            let arrival = Proxy.Arrival(direction: .toServer, request: request, isFirst: !isSocket)
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
                return Proxy.Arrival(direction: .toDevice, request: latest.request, isFirst: !latest.isAnswered)
            }
            isSilent = try forward(bytes, arrival, to: device)
        }
    }

    /// Whether the direction is silent from now on.
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
