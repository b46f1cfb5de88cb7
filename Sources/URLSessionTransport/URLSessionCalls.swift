internal import TidelogFoundation
internal import TidelogSynchronization
internal import TidelogTransport

#if !canImport(Darwin)
    internal import Foundation
    internal import FoundationNetworking
#endif

/// One request, or the opening of one WebSocket.
final class URLSessionCall: Sendable {
    private struct State {
        var caller: CheckedContinuation<Result<TransportResponse, TransportError>, Never>?
        var head: HTTPURLResponse?
        var body: [UInt8] = []
        /// The reason why this side cancelled the task.
        var reason: TransportError?
    }

    let task: URLSessionTask
    private let maximumBodyBytes: Int
    private let state = Mutex(State())

    init(_ task: URLSessionTask, maximumBodyBytes: Int) {
        self.task = task
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// Starts the task. `caller` gets the result.
    func start(_ caller: CheckedContinuation<Result<TransportResponse, TransportError>, Never>) {
        let reason = state.withLock { state in
            if state.reason == nil { state.caller = caller }
            return state.reason
        }
        if let reason { caller.resume(returning: .failure(reason)) } else { task.resume() }
    }

    /// Ends the task with `reason`, unless it has ended.
    func end(_ reason: TransportError) {
        let caller = state.withLock { state in
            if state.reason == nil { state.reason = reason }
            return state.caller.take()
        }
        task.cancel()
        caller?.resume(returning: .failure(reason))
    }

    /// Keeps the head of the response. Returns whether the rest of it is wanted.
    func began(_ response: URLResponse) -> Bool {
        guard let head = response as? HTTPURLResponse else {
            end(TransportError(.malformed, "The response is not HTTP."))
            return false
        }
        guard head.expectedContentLength <= Int64(maximumBodyBytes) else {
            end(tooLarge)
            return false
        }
        state.withLock { $0.head = head }
        return true
    }

    func received(_ data: Data) {
        let isTooLarge = state.withLock { state in
            guard state.body.count + data.count <= maximumBodyBytes else { return true }
            state.body.append(contentsOf: data)
            return false
        }
        if isTooLarge { end(tooLarge) }
    }

    private var tooLarge: TransportError {
        TransportError(.tooLarge, "The response is longer than \(maximumBodyBytes) bytes.")
    }

    /// The WebSocket is open.
    func opened(_ subprotocol: String?) {
        let headers = subprotocol.map { [URLSessionCalls.subprotocolName: $0] } ?? [:]
        finish(.success(TransportResponse(status: 101, headers: headers)))
    }

    /// The task has ended.
    func completed(_ error: (any Error)?) {
        let (head, body) = state.withLock { ($0.head, $0.body) }
        let answer = head ?? task.response as? HTTPURLResponse
        if task is URLSessionWebSocketTask, let answer, answer.statusCode != 101 {
            let headers = Self.headers(of: answer)
            let refusal = TransportError(
                .refused, "The server answered with the status \(answer.statusCode).", status: answer.statusCode,
                errorType: headers["x-amzn-errortype"])
            return finish(.failure(refusal))
        }
        if let error { return finish(.failure(TransportError(error, wasSent: task.countOfBytesSent > 0))) }
        guard let head else {
            return finish(.failure(TransportError(.malformed, "The response has no status.")))
        }
        finish(.success(TransportResponse(status: head.statusCode, headers: Self.headers(of: head), body: body)))
    }

    private func finish(_ result: Result<TransportResponse, TransportError>) {
        state.withLock { $0.caller.take() }?.resume(returning: result)
    }

    private static func headers(of response: HTTPURLResponse) -> [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            headers[name.lowercased()] = value
        }
        return headers
    }
}

/// The calls of a session that are in progress. The session tells this object what happens to its tasks.
final class URLSessionCalls: NSObject, URLSessionDataDelegate, URLSessionWebSocketDelegate, Sendable {
    /// The header field with the subprotocol that the server chose.
    static let subprotocolName = "sec-websocket-protocol"

    private let running = Mutex<[Int: URLSessionCall]>([:])

    /// Starts `call` and waits for its result.
    func run(_ call: URLSessionCall, timeout: Duration) async throws(TransportError) -> TransportResponse {
        running.withLock { $0[call.task.taskIdentifier] = call }
        let alarm = Task {
            try await Task.sleep(for: timeout)
            call.end(TransportError(.timedOut, "The request took longer than \(timeout)."))
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { call.start($0) }
        } onCancel: {
            call.end(.cancelled)
        }
        alarm.cancel()
        if case .failure = result { _ = running.withLock { $0.removeValue(forKey: call.task.taskIdentifier) } }
        return try result.get()
    }

    private func call(_ task: URLSessionTask) -> URLSessionCall? { running.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The response with the redirection is the result.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(call(dataTask)?.began(response) ?? false ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        call(dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
    ) {
        call(webSocketTask)?.opened(`protocol`)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        // The reader of the WebSocket finds the code in its task.
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let call = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        call?.completed(error)
    }
}
