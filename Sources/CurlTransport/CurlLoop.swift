internal import CCurl
internal import TidelogCore
internal import TidelogSynchronization

/// The thread that drives all requests of a transport.
final class CurlLoop: Sendable {
    /// The continuation of a request's caller.
    typealias Caller = CheckedContinuation<Result<TransportResponse, TransportError>, Never>

    /// A task for the thread.
    enum Command: Sendable {
        case start(CurlTransfer, Caller)
        /// Ends a transfer, whether it has started, waits to start or has ended.
        case cancel(CurlTransfer)
        /// Ends the thread. It is posted after the last transfer has ended.
        case stop
    }

    private let transfers: CurlMulti
    private let commands = Mutex<[Command]>([])

    private init(_ transfers: CurlMulti) { self.transfers = transfers }

    /// Starts a loop on its own thread. The result is `nil` if the system cannot start a thread.
    static func start() -> CurlLoop? {
        guard let transfers = CurlMulti() else { return nil }
        let loop = CurlLoop(transfers)
        return DetachedThread.start(stackByteCount: 1 << 20) { loop.run() } == 0 ? loop : nil
    }

    func post(_ command: Command) {
        commands.withLock { $0.append(command) }
        transfers.wake()
    }

    private func takeCommands() -> [Command] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }

    private func run() {
        var running: [UnsafeMutableRawPointer: Running] = [:]
        var cancelled: Set<ObjectIdentifier> = []
        while true {
            for command in takeCommands() {
                switch command {
                case .start(let transfer, let caller):
                    if cancelled.remove(ObjectIdentifier(transfer)) != nil {
                        caller.resume(returning: .failure(.cancelled))
                    } else {
                        start(transfer, caller, &running)
                    }
                case .cancel(let transfer):
                    guard let found = running.first(where: { $0.value.transfer === transfer }) else {
                        // The cancellation may arrive before the start. If the transfer has ended, there is nothing to do.
                        if !transfer.hasStarted { cancelled.insert(ObjectIdentifier(transfer)) }
                        continue
                    }
                    running[found.key] = nil
                    transfers.remove(found.value.handle)
                    found.value.caller.resume(returning: .failure(.cancelled))
                case .stop: return
                }
            }
            transfers.perform()
            while let (pointer, result) = transfers.ended() {
                guard let ended = running.removeValue(forKey: pointer) else { continue }
                transfers.remove(ended.handle)
                ended.caller.resume(returning: ended.transfer.result(result, of: ended.handle))
            }
            // libcurl's own timers end the wait earlier.
            transfers.wait(milliseconds: 60_000)
        }
    }

    private func start(
        _ transfer: CurlTransfer, _ caller: Caller, _ running: inout [UnsafeMutableRawPointer: Running]
    ) {
        do throws(TransportError) {
            let handle = try transfer.makeHandle()
            guard transfers.add(handle) else {
                throw TransportError(.unusableRequest, "libcurl does not take the request.")
            }
            running[handle.pointer] = Running(transfer: transfer, handle: handle, caller: caller)
        } catch {
            caller.resume(returning: .failure(error))
        }
    }

    /// A transfer that libcurl is processing.
    private struct Running {
        let transfer: CurlTransfer
        let handle: CurlHandle
        let caller: Caller
    }
}
