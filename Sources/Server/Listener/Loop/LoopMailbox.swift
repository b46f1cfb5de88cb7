internal import CWebSockets
internal import TidelogSynchronization

/// The identifier of a socket of one loop. An identifier is never used again.
typealias SocketID = UInt64

/// A queue of commands from other threads to a loop.
final class LoopMailbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var loop: Loop?
        var isClosed = false
    }

    /// Sound as `@unchecked Sendable` because the context is only used for `lws_cancel_service`, which any thread may call.
    private struct Loop: @unchecked Sendable {
        let context: OpaquePointer
    }

    private let state = Mutex(State())

    /// Adds a command, and wakes the loop if needed. Has no effect after the loop has ended.
    func post(_ command: Command) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.commands.append(command)
            if state.commands.count == 1, let loop = state.loop { lws_cancel_service(loop.context) }
        }
    }

    /// Makes `post` wake the loop of `context`.
    func open(_ context: OpaquePointer) {
        let loop = Loop(context: context)
        state.withLock { state in
            state.loop = loop
            if !state.commands.isEmpty { lws_cancel_service(loop.context) }
        }
    }

    /// Drops all commands and accepts no further ones. The context may be destroyed after this call.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.loop = nil
            state.commands = []
        }
    }

    /// Returns and removes the commands so far.
    func take() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// A command for the loop's thread.
    enum Command: Sendable {
        /// Send the handler's response to the socket's request.
        case respond(SocketID, HTTPResponse)
        /// Answer the socket's offer of a WebSocket.
        case open(SocketID, ListenerService.WebSocketAnswer)
        /// Send the queued frames of the socket's WebSocket.
        case transmit(SocketID)
        /// Continue to receive from the socket, because there is room for more messages.
        case receive(SocketID)
        /// The session of the socket's WebSocket has ended.
        case sessionEnded(SocketID)
        /// Accept no new sockets, and end when the current ones are done or the time is over.
        case stop(within: Duration)
    }
}
