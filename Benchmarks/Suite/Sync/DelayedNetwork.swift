import Foundation
import RawServer
import TidelogSynchronization

/// A network between a device and a server on this computer, which delivers the server's bytes late.
///
/// Each part of a response, and each message of a WebSocket, arrives after the same delay. Parts that follow each other are on
/// their way at the same time, as on a long line. The bytes of the device are not delayed. A request and its response
/// therefore take the delay once.
final class DelayedNetwork: Sendable {
    private let server: RawServer

    /// The port that the device uses.
    var port: Int { server.port }

    /// - Parameter delay: The delay in seconds.
    init(toPort port: Int, delay: Double) throws {
        // An idle connection stays open for as long as any round takes.
        let patience = 3_600
        server = try RawServer(waiting: patience) { device in
            let server = try RawConnection(toPort: port, waiting: patience)
            let line = DelayLine(to: device, delay: delay)
            let ended = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while let bytes = try? server.receiveSome() { line.send(bytes) }
                line.end()
                ended.signal()
            }
            while let bytes = try? device.receiveSome(), (try? server.send(bytes)) != nil {}
            server.end()
            ended.wait()
            server.close()
        }
    }
}

/// Bytes on their way to a device.
private final class DelayLine: Sendable {
    private let device: RawConnection
    private let delay: Double
    /// The parts that have not arrived, with the time in nanoseconds at which they arrive. The end of the line has no bytes.
    private let parts = Mutex<[(time: UInt64, bytes: [UInt8]?)]>([])
    private let count = DispatchSemaphore(value: 0)
    private let delivered = DispatchSemaphore(value: 0)

    init(to device: RawConnection, delay: Double) {
        (self.device, self.delay) = (device, delay)
        Thread.detachNewThread { [self] in
            deliver()
            device.end()
            delivered.signal()
        }
    }

    func send(_ bytes: [UInt8]?) {
        parts.withLock { $0.append((Clock.now() + UInt64(delay * 1e9), bytes)) }
        count.signal()
    }

    /// Ends the connection after all parts have arrived, and returns then.
    func end() {
        send(nil)
        delivered.wait()
    }

    private func deliver() {
        while true {
            count.wait()
            let (time, bytes) = parts.withLock { $0.removeFirst() }
            guard let bytes else { return }
            let now = Clock.now()
            if time > now { Thread.sleep(forTimeInterval: Double(time - now) / 1e9) }
            guard (try? device.send(bytes)) != nil else { return }
        }
    }
}
