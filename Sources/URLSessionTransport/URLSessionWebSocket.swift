internal import TidelogFoundation
internal import TidelogSynchronization
internal import TidelogTransport

#if !canImport(Darwin)
    internal import Foundation
    internal import FoundationNetworking
#endif

/// An open WebSocket of `URLSession`.
///
/// At most one message is asked for at a time, and only while a caller waits. A server whose messages are not read has to wait.
final class URLSessionWebSocket: TransportWebSocket {
    private typealias Received = Result<String, TransportError>

    private struct State {
        /// A message that came after its caller had been cancelled.
        var message: Received?
        var caller: CheckedContinuation<Received, Never>?
        /// Whether the task was asked for a message that has not come.
        var isReceiving = false
    }

    let subprotocol: String?
    private let task: URLSessionWebSocketTask
    private let state = Mutex(State())
    private let pings: Task<Void, any Error>

    init(_ task: URLSessionWebSocketTask, subprotocol: String?, silenceTime: Duration) {
        self.task = task
        self.subprotocol = subprotocol
        pings = Task {
            while true {
                try await Task.sleep(for: silenceTime / 2)
                let isAnswered = await Self.ping(task, within: silenceTime / 2)
                if !isAnswered { return task.cancel(with: .abnormalClosure, reason: nil) }
            }
        }
    }

    deinit {
        pings.cancel()
        task.cancel(with: .goingAway, reason: nil)
    }

    /// Sends a ping. Returns whether the answer came in time.
    private static func ping(_ task: URLSessionWebSocketTask, within limit: Duration) async -> Bool {
        let answer = FirstAnswer<Bool>()
        task.sendPing { error in answer.give(error == nil) }
        let alarm = Task {
            try await Task.sleep(for: limit)
            answer.give(false)
        }
        defer { alarm.cancel() }
        return await answer.value
    }

    func send(_ text: String) async throws(TransportError) {
        do {
            try await task.send(.string(text))
        } catch {
            throw failure(error)
        }
    }

    func receive() async throws(TransportError) -> String {
        let result: Received = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                let (present, asks) = state.withLock { state -> (Received?, Bool) in
                    precondition(state.caller == nil, "one task at a time waits for a message")
                    if let message = state.message.take() { return (message, false) }
                    if Task.isCancelled { return (.failure(.cancelled), false) }
                    state.caller = caller
                    defer { state.isReceiving = true }
                    return (nil, !state.isReceiving)
                }
                if let present { return caller.resume(returning: present) }
                if asks { ask() }
            }
        } onCancel: {
            state.withLock { $0.caller.take() }?.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }

    private func ask() {
        task.receive { [weak self] result in
            guard let self else { return }
            let received: Received =
                switch result {
                case .success(.string(let text)): .success(text)
                case .success: .failure(TransportError(.malformed, "A message of the server is no text."))
                case .failure(let error): .failure(failure(error))
                }
            let caller = state.withLock { state in
                state.isReceiving = false
                if state.caller == nil { state.message = received }
                return state.caller.take()
            }
            caller?.resume(returning: received)
        }
    }

    func close(code: UInt16, reason: String) async {
        pings.cancel()
        // Messages are sent in order, so the close frame follows those before it.
        task.cancel(
            with: URLSessionWebSocketTask.CloseCode(rawValue: Int(code)) ?? .normalClosure, reason: Data(reason.utf8))
        for _ in 0..<50 where task.state == .running || task.state == .canceling {
            do { try await Task.sleep(for: .milliseconds(100)) } catch { return }
        }
    }

    /// The error of a WebSocket. The server's close code tells why it ended.
    private func failure(_ error: any Error) -> TransportError {
        let code = task.closeCode
        guard code != .invalid else { return TransportError(error, wasSent: true) }
        let reason = task.closeReason.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return TransportError(
            .closed, "The WebSocket was closed with the code \(code.rawValue). \(reason)",
            closeCode: UInt16(exactly: code.rawValue))
    }
}

/// The first of several answers.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var caller: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    func give(_ value: Value) {
        let caller = state.withLock { state in
            if state.value == nil { state.value = value }
            return state.caller.take()
        }
        caller?.resume(returning: value)
    }

    /// Waits for the first answer.
    var value: Value {
        get async {
            await withCheckedContinuation { caller in
                let present = state.withLock { state in
                    if state.value == nil { state.caller = caller }
                    return state.value
                }
                if let present { caller.resume(returning: present) }
            }
        }
    }
}
