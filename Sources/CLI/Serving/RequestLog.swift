internal import Tidelog
internal import TidelogAgreement
internal import TidelogCore
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogServer
internal import TidelogSynchronization

/// The log of the requests that a server answered, one line each: JSON on standard output, or text on standard error.
final class RequestLog: Sendable {
    private let lines: LineLog
    private let isJSON: Bool
    private let style: Console.Style

    init(on console: Console) {
        isJSON = console.isJSON
        style = console.messageStyle
        lines = LineLog(descriptor: console.isJSON ? 1 : 2)
    }

    func add(_ request: ServedRequest) { lines.add(isJSON ? Self.json(request) : text(request)) }

    /// Adds a message for the operator.
    func add(notice: String) {
        if isJSON {
            lines.add(JSONWriter.line { $0.member("notice", notice) })
        } else {
            lines.add(Array("\(style.yellow("warning:")) \(notice.withEscapedControls)\n".utf8))
        }
    }

    /// Begins to write lines.
    func begin() { lines.begin() }

    /// Writes the remaining lines.
    func end() async {
        let count = lines.takeDroppedCount()
        if count > 0 { add(notice: "\(counted(count, "line")) of this log found no reader.") }
        await lines.flush(within: .seconds(1))
    }

    private static func json(_ request: ServedRequest) -> [UInt8] {
        JSONWriter.line { writer in
            writer.member("request", request.id)
            writer.member("at", "\(time(request))")
            writer.member("method", request.method)
            writer.member("path", request.path)
            writer.member("status", request.status)
            if let provider = request.provider { writer.member("caller", provider.rawValue) }
            writer.key("milliseconds")
            writer.double((request.duration.seconds * 1e6).rounded() / 1e3)
            writer.member("responseBytes", request.byteCount)
            request.report?.write(to: &writer)
        }
    }

    private func text(_ request: ServedRequest) -> [UInt8] {
        let status = "\(request.status)"
        let mark = request.status < 400 ? style.green(status) : style.red(status)
        let caller = request.provider.map { "  \($0.rawValue)" } ?? ""
        let path = request.path.withEscapedControls
        let fields = request.report.map { $0.fields.prefix(3).map { "  " + $0.field }.joined() } ?? ""
        let time = style.dim("\(Self.time(request))")
        return Array(
            "\(time)  \(mark)  \(request.method) \(path)\(fields)  \(request.duration.short)\(caller)\n".utf8)
    }

    private static func time(_ request: ServedRequest) -> Temporal.DateTime {
        let (seconds, rest) = request.time.quotientAndRemainder(dividingBy: 1_000)
        return Temporal.DateTime(
            Temporal.Instant(seconds: seconds, nanoseconds: Int32(rest) * 1_000_000), secondsFromUTC: 0)
    }
}

/// Lines for an output whose reader may be slow or absent. Adding a line never waits. A line for which the buffer has no room
/// is dropped and counted.
private final class LineLog: Sendable {
    /// The number of bytes that the buffer holds for a slow reader.
    private static let capacity = 1 << 20
    private let descriptor: Int32
    private let state = Mutex(State())

    fileprivate struct State {
        var phase = Phase.held
        var bytes: [UInt8] = []
        var droppedCount = 0
        /// Whether a thread is writing or about to write.
        var isWriting = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        enum Phase {
            /// Lines are kept back until ``begin()``.
            case held
            /// Lines are written.
            case open
            /// The reader has gone, so lines are dropped.
            case closed
        }
    }

    /// A log that keeps its lines until ``begin()``.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Adds a line, which ends with a line break.
    func add(_ line: [UInt8]) {
        let starts = state.withLock { state in
            guard state.phase != .closed else { return false }
            guard state.bytes.count + line.count <= Self.capacity else {
                state.droppedCount += 1
                return false
            }
            state.bytes += line
            return state.startsWriting()
        }
        if starts { write() }
    }

    /// Writes the lines that were kept, and from now on writes each line when it is added.
    func begin() {
        let starts = state.withLock { state in
            if state.phase == .held { state.phase = .open }
            return state.startsWriting()
        }
        if starts { write() }
    }

    /// Returns when all lines added before are written, or after `time` at the latest.
    func flush(within time: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: time)
            for continuation in state.withLock({ $0.takeWaiting() }) { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.isWriting { state.waiting.append(continuation) }
                return !state.isWriting
            }
            if isDone { continuation.resume() }
        }
        timer.cancel()
    }

    /// Returns how many lines were dropped since the last call of this method.
    func takeDroppedCount() -> Int {
        state.withLock { state in
            defer { state.droppedCount = 0 }
            return state.droppedCount
        }
    }

    private func write() {
        let status = DetachedThread.start(stackByteCount: 1 << 18) { [self] in
            while let bytes = next() {
                guard bytes.withUnsafeBytes({ System.write($0, to: descriptor) }) != 0 else { continue }
                state.withLock { $0.phase = .closed }
            }
        }
        if status != 0 { state.withLock { $0.isWriting = false } }
    }

    /// Takes the bytes to write next; `nil` if no bytes are left.
    private func next() -> [UInt8]? {
        let (bytes, waiting) = state.withLock { state -> ([UInt8]?, [CheckedContinuation<Void, Never>]) in
            if state.phase == .closed { state.bytes = [] }
            guard state.bytes.isEmpty else {
                defer { state.bytes = [] }
                return (state.bytes, [])
            }
            state.isWriting = false
            return (nil, state.takeWaiting())
        }
        for continuation in waiting { continuation.resume() }
        return bytes
    }
}

extension LineLog.State {
    fileprivate mutating func startsWriting() -> Bool {
        guard phase != .held, !isWriting, !bytes.isEmpty else { return false }
        isWriting = true
        return true
    }

    fileprivate mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }
}
