internal import Tidelog
internal import TidelogCore
internal import TidelogJSON
internal import TidelogServer

/// The log of the requests that a server answered, one line each: JSON on standard output, or text on standard error.
final class RequestLog: Sendable {
    private let lines: LineLog
    private let isJSON: Bool
    private let style: Style

    init(on console: Console) {
        isJSON = console.isJSON
        style = console.messageStyle
        lines = LineLog(descriptor: console.isJSON ? 1 : 2)
    }

    func add(_ request: ServedRequest) { lines.add(isJSON ? Self.json(request) : text(request)) }

    /// Adds a message for the operator.
    func add(notice: String) {
        if isJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("notice", notice)
            writer.endObject()
            writer.endLine()
            lines.add(writer.bytes)
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
        var writer = JSONWriter()
        writer.beginObject()
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
        writer.endObject()
        writer.endLine()
        return writer.bytes
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
