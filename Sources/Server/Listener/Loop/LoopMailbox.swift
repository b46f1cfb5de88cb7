internal import CWebSockets
internal import Synchronization

/// Names a socket of one loop; never given twice.
typealias SocketID = UInt64

/// What the loop's thread is asked to do.
enum LoopCommand: Sendable {
    /// The handler's answer to the socket's request.
    case respond(SocketID, HTTPResponse)
    /// The service's answer to the socket's offer.
    case open(SocketID, WebSocketAnswer)
    /// The socket's WebSocket has frames in its queue.
    case transmit(SocketID)
    /// There is room for more messages of the socket.
    case receive(SocketID)
    /// The session of the socket's WebSocket is over.
    case sessionEnded(SocketID)
    /// No new sockets; end once those at work are done, or the time is over.
    case stop(within: Duration)
}

/// The way to a loop from other threads: commands in order.
final class LoopMailbox: Sendable {
    private struct State {
        var commands: [LoopCommand] = []
        var loop: Loop?
        var isClosed = false
    }

    /// Sound as `@unchecked Sendable`: it serves for `lws_cancel_service` only, which any thread may call.
    private struct Loop: @unchecked Sendable {
        let context: OpaquePointer
    }

    private let state = Mutex(State())

    /// Leaves a command, and wakes the loop if it may not know yet. Of no effect once the loop has ended.
    func post(_ command: LoopCommand) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(command)
            if state.commands.count == 1, let loop = state.loop { lws_cancel_service(loop.context) }
        }
    }

    /// Has `post` wake the loop of `context` from now on.
    func open(_ context: OpaquePointer) {
        let loop = Loop(context: context)
        state.withLock { state in
            state.loop = loop
            if !state.commands.isEmpty { lws_cancel_service(loop.context) }
        }
    }

    /// Takes no more commands. The context may be destroyed then.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.loop = nil
            state.commands = []
        }
    }

    /// The commands so far.
    func take() -> [LoopCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }
}
