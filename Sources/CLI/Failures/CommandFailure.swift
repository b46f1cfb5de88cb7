@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogModelgen
@_spi(Adapters) internal import TidelogRecordJSON

/// The reason why a command failed, for people and for scripts.
struct CommandFailure: Error {
    let status: ExitStatus
    /// The code of the failure, for scripts.
    let code: String
    /// The description of the failure.
    var message: String
    var model: String?
    var id: RecordID?
    /// The advice to the user.
    var recovery: String
    /// Further lines for people after the message, for example the predicate with a mark below the error.
    var detail: String?

    init(
        _ status: ExitStatus, _ code: String, _ message: String, model: String? = nil, id: RecordID? = nil,
        recovery: String, detail: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.model = model
        self.id = id
        self.recovery = recovery
        self.detail = detail
    }

    /// `{"error":{…}}` on one line.
    var json: [UInt8] {
        JSONWriter.line { writer in
            writer.object("error") { writer in
                writer.member("code", code)
                writer.member("message", message)
                writer.member("model", orNull: model)
                writer.key("id")
                if let id { writer.id(id) } else { writer.null() }
                writer.member("recovery", recovery)
            }
        }
    }

    /// - Parameter shown: Makes the form of a given text for the output; on a terminal, that form has no control characters.
    func text(_ style: Console.Style, shown: (String) -> String) -> String {
        var text = "\(style.red("error:")) \(shown(message))\n"
        if let detail { text += detail + "\n" }
        if !recovery.isEmpty { text += "  \(style.dim("→")) \(shown(recovery))\n" }
        return text
    }
}

// MARK: - Failures for errors

extension CommandFailure {
    /// The failure for any error.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as UsageError: self.init(error, of: nil)
        case let error as DataStoreError: self.init(error)
        case let error as SchemaDiagnostic: self.init(error.dataStoreError)
        case let error as GeneratedDirectory.Failure:
            self.init(.failed, "failed", "\(error).", recovery: error.recovery)
        case let error as RecordJSONError: self.init(error.dataStoreError)
        case let error as PredicateSyntaxError: self.init(.usage, "invalidPredicate", "\(error).", recovery: "")
        case is RowDamage:
            self.init(
                .damaged, "damaged", "A stored row does not decode.",
                recovery: "Run `tidelog verify`, then `tidelog rebuild`, which recreates the rows from the log.")
        case is Console.Output.Closed:
            self.init(
                .failed, "outputClosed", "Standard output was closed before the command had ended.",
                recovery: Self.continuation)
        case is CancellationError: self = .interrupted("Interrupted.")
        default: self.init(.failed, "failed", "\(error)", recovery: "")
        }
    }

    init(_ error: DataStoreError) {
        let status: ExitStatus =
            switch error.code {
            case .conditionFailed: .conditionFalse
            case .notFound: .recordNotFound
            case .locked: .locked
            case .logDamaged, .damaged: .damaged
            case .invalidPredicate, .invalidSchema, .unknownModel, .configurationMismatch: .usage
            default: .failed
            }
        let cause = error.underlying.map { " Cause: \($0)." } ?? ""
        self.init(
            status, error.code.name, error.message + cause, model: error.model, id: error.recordID,
            recovery: error.recovery)
    }

    init(_ error: UsageError, of syntax: CommandSyntax?) {
        let help = error.help ?? syntax.map { "tidelog \($0.name) --help" } ?? "tidelog --help"
        let guess = error.suggestion.map { $0.prefix(1).uppercased() + $0.dropFirst() + " " } ?? ""
        self.init(.usage, "usage", error.message, recovery: error.recovery ?? "\(guess)See `\(help)`.")
    }

    /// The advice for a command that ended between two commits.
    private static let continuation = "All commits so far stay. Run the command again to continue."

    static func interrupted(_ message: String) -> CommandFailure {
        CommandFailure(.interrupted, "interrupted", message, recovery: continuation)
    }

    /// The failure for a system call that failed on a file that the user named.
    static func file(_ what: String, _ path: String, _ error: Int32) -> CommandFailure {
        CommandFailure(
            .failed, "inputOutput", "Could not \(what) \(path): \(System.message(error)).",
            recovery: "Check the path and its permissions.")
    }

    /// The line of `source` at an error, with a mark below the place of the error.
    static func excerpt(of source: [UInt8], line: Int, column: Int) -> String {
        let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard line >= 1, line <= lines.count else { return "" }
        // Each character must take the number of columns that the position of the mark assumes.
        let written = String(
            String.UnicodeScalarView(
                String(decoding: lines[line - 1], as: UTF8.self).unicodeScalars.map { $0.value < 32 ? " " : $0 }))
        let before = String(String.UnicodeScalarView(written.unicodeScalars.prefix(max(0, column - 1))))
        return "  \(written)\n  \(String(repeating: " ", count: before.columnCount))^"
    }
}
