internal import TidelogCore
internal import TidelogPlatform
internal import TidelogSynchronization

/// A server for HTTP/1.1 and WebSockets, with or without TLS. It runs on its own thread.
///
/// ```swift
/// let listener = try await Listener.start(Listener.Configuration(port: 0), service: service)
/// print(listener.port)
/// await listener.stop()
/// ```
package final class Listener: Sendable {
    /// The host as the configuration gives it.
    package let host: String
    /// The port of the listener. If the configuration had port 0, this is the port that the system chose.
    package let port: Int
    /// Notices for the operator, as sentences: for example that the process can open fewer sockets than the configuration
    /// allows.
    package let notices: [String]

    private let mailbox: LoopMailbox
    private let ending: Ending

    private init(host: String, port: Int, notices: [String], mailbox: LoopMailbox, ending: Ending) {
        self.host = host
        self.port = port
        self.notices = notices
        self.mailbox = mailbox
        self.ending = ending
    }

    deinit { mailbox.post(.stop(within: .zero)) }

    /// Starts a listener. It serves clients as soon as this method returns.
    package static func start(
        _ configuration: Configuration, service: ListenerService
    ) async throws(ListenerError) -> Listener {
        try configuration.identity?.check()
        var limits = configuration.limits
        var notices: [String] = []
        let room = DescriptorLimit.raise(forSockets: limits.maximumSockets)
        if room < limits.maximumSockets {
            notices.append(
                "The system lets this process open so few files that \(room) sockets fit, not \(limits.maximumSockets):"
                    + " raise its hard limit (ulimit -Hn, or LimitNOFILE of systemd).")
            limits.maximumSockets = room
        }
        let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
        let (mailbox, ending) = (LoopMailbox(), Ending())
        let outcome = await withCheckedContinuation { (started: CheckedContinuation<ListenerError?, Never>) in
            let status = DetachedThread.start(stackByteCount: 1 << 20) { [limits] in
                do throws(ListenerError) {
                    let loop = try EventLoop(
                        service: service, limits: limits, mailbox: mailbox, identity: configuration.identity)
                    started.resume(returning: nil)
                    loop.run([socket.descriptor])
                } catch {
                    mailbox.close()
                    started.resume(returning: error)
                }
                ending.end()
            }
            if status != 0 { started.resume(returning: ListenerError(.system, "The system gives no thread.")) }
        }
        if let outcome {
            closeDescriptor(socket.descriptor)
            throw outcome
        }
        return Listener(
            host: configuration.host, port: socket.port, notices: notices, mailbox: mailbox, ending: ending)
    }

    /// Stops the listener, and returns when nothing of it is left.
    ///
    /// The listener accepts no new clients. It still finishes the responses that have begun, and closes WebSockets with code
    /// 1001. A response that takes longer than `time` is aborted, and its task is cancelled.
    package func stop(within time: Duration = .seconds(10)) async {
        mailbox.post(.stop(within: time))
        await ending.wait()
    }

    /// The limit of open files of this process. Sockets count as files.
    enum DescriptorLimit {
        /// The number of files that the rest of the process may need.
        private static let reserve = 128

        /// Raises the limit so that the process can open `count` sockets, as far as the system allows it.
        ///
        /// - Returns: The number of sockets that the process can open.
        static func raise(forSockets count: Int) -> Int {
            var limit = rlimit()
            guard getrlimit(Platform.openFiles, &limit) == 0 else { return count }
            let wanted = rlim_t(count + reserve)
            if limit.rlim_cur < wanted {
                var raised = limit
                raised.rlim_cur = min(wanted, limit.rlim_max)
                if setrlimit(Platform.openFiles, &raised) == 0 { limit = raised }
            }
            guard limit.rlim_cur < wanted else { return count }
            return max(Int(limit.rlim_cur) - reserve, Int(limit.rlim_cur) / 2)
        }
    }

    /// The configuration of a listener: its address, TLS and limits.
    package struct Configuration: Sendable {
        /// An IPv4 or IPv6 address, or `localhost`. `::` and `0.0.0.0` mean all addresses of this computer.
        package var host: String
        /// The port; 0 lets the system choose one.
        package var port: Int
        /// The files for TLS. Without them, connections are not encrypted.
        package var identity: TLSIdentity?
        /// The limits for clients.
        package var limits: ListenerLimits

        /// Makes a configuration. Without a host, only clients on this computer can connect.
        package init(
            host: String = "127.0.0.1", port: Int, identity: TLSIdentity? = nil,
            limits: ListenerLimits = ListenerLimits()
        ) {
            self.host = host
            self.port = port
            self.identity = identity
            self.limits = limits
        }
    }
}

/// The end of a thread, for which tasks can wait.
private final class Ending: Sendable {
    private struct State {
        var hasEnded = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiting.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }
}
