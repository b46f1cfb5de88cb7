internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSynchronization

/// The output of the tool: data on standard output, everything else on standard error.
final class Console: Sendable {
    /// Colours and bold text. Text that does not go to a terminal stays plain.
    struct Style: Sendable {
        let isColoured: Bool

        func bold(_ text: String) -> String { wrap(text, "1") }
        func dim(_ text: String) -> String { wrap(text, "2") }
        func red(_ text: String) -> String { wrap(text, "31;1") }
        func green(_ text: String) -> String { wrap(text, "32") }
        func yellow(_ text: String) -> String { wrap(text, "33") }
        func cyan(_ text: String) -> String { wrap(text, "36") }

        private func wrap(_ text: String, _ code: String) -> String {
            isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
        }
    }

    /// Whether data and errors are JSON.
    let isJSON: Bool
    /// Whether progress is shown.
    let showsProgress: Bool
    let output: Output
    /// Whether standard output is a terminal.
    let isShownOnTerminal: Bool
    /// How text on standard output looks.
    let outputStyle: Style
    /// How text on standard error looks.
    let messageStyle: Style
    private let messages: Int32

    /// - Parameter messages: The descriptor that messages and progress go to.
    init(isJSON: Bool, wantsProgress: Bool, messages: Int32 = 2) {
        self.isJSON = isJSON
        self.messages = messages
        let plain = System.environment("NO_COLOR").map { !$0.isEmpty } ?? false || System.environment("TERM") == "dumb"
        isShownOnTerminal = System.isTerminal(1)
        output = Output(isTerminal: isShownOnTerminal)
        showsProgress = wantsProgress || System.isTerminal(messages)
        outputStyle = Style(isColoured: isShownOnTerminal && !plain)
        messageStyle = Style(isColoured: System.isTerminal(messages) && !plain)
    }

    /// Whether messages go to a terminal.
    var isDrawnOver: Bool { System.isTerminal(messages) }

    /// The width of the terminal that messages go to, `nil` if there is none.
    var messageColumns: Int? { System.columns(messages) }

    /// The form of `text` for standard output. The text may come from anywhere, so on a terminal its control characters are
    /// escaped.
    func shown(_ text: String) -> String { isShownOnTerminal ? text.withEscapedControls : text }

    /// The form of `text` for messages, escaped as by ``shown(_:)``.
    func shownInMessage(_ text: String) -> String { isDrawnOver ? text.withEscapedControls : text }

    /// Prints a message for people. With `--json` nothing is printed.
    func note(_ text: String) {
        guard !isJSON else { return }
        write(text + "\n")
    }

    /// Prints for people that something is done. With `--json` nothing is printed.
    func success(_ text: String) { note("\(messageStyle.green("✓")) \(text)") }

    /// Prints a warning for people. With `--json` nothing is printed.
    func warn(_ text: String) { note("\(messageStyle.yellow("warning:")) \(shownInMessage(text))") }

    func report(_ failure: CommandFailure) {
        if isJSON {
            failure.json.withUnsafeBytes { _ = System.write($0, to: messages) }
        } else {
            write(failure.text(messageStyle, shown: shownInMessage))
        }
    }

    /// Writes `text` to standard error without changing it.
    func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = System.write(UnsafeRawBufferPointer($0), to: messages) }
    }
}

extension Console {
    /// Standard output, buffered into large writes.
    final class Output: Sendable {
        /// The error that says that the reader of standard output has closed it.
        struct Closed: Error {}

        private let buffer = Mutex<[UInt8]>([])
        private static let limit = 1 << 16
        private let isTerminal: Bool

        init(isTerminal: Bool) { self.isTerminal = isTerminal }

        /// Writes lines of JSON. On a terminal, control characters that JSON allows unescaped are escaped too.
        func writeJSON(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try writeJSON($0) } }

        func writeJSON(_ bytes: UnsafeRawBufferPointer) throws {
            guard isTerminal else { return try write(bytes) }
            try write(String(decoding: bytes, as: UTF8.self).withEscapedControlsOfLines)
        }

        /// Writes a JSON object as one line.
        func writeObject(_ body: (inout JSONWriter) throws -> Void) throws { try writeJSON(try JSONWriter.line(body)) }

        func write(_ text: String) throws {
            var text = text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        }

        func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

        func write(_ bytes: UnsafeRawBufferPointer) throws {
            try buffer.withLock { buffer in
                buffer.append(contentsOf: bytes)
                if buffer.count >= Self.limit { try Self.flush(&buffer) }
            }
        }

        /// Writes the buffered bytes.
        ///
        /// - Throws: ``Closed``; ``CommandFailure`` if the system refuses.
        func flush() throws { try buffer.withLock { try Self.flush(&$0) } }

        private static func flush(_ buffer: inout [UInt8]) throws {
            guard !buffer.isEmpty else { return }
            let error = buffer.withUnsafeBytes { System.write($0, to: 1) }
            buffer.removeAll(keepingCapacity: true)
            if error == System.brokenPipe { throw Closed() }
            if error != 0 { throw CommandFailure.file("write to", "standard output", error) }
        }
    }
}
