@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogModelgen
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText

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
        case let error as PredicateRefusal: self.init(error)
        case let error as KeyRefusal:
            self.init(.usage, "usage", error.message, model: error.model, recovery: error.recovery)
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

    /// The failure for a text that is no predicate. The advice is about the quotes of a shell, too.
    private init(_ error: PredicateRefusal) {
        var recovery =
            "Predicates are written as in Swift: population > 1000000 && (name.beginsWith(\"San\") || capital == nil)."
        if let advice = error.recovery {
            recovery = error.corrected.map { "\(advice) The whole predicate: \($0.inShellQuotes)" } ?? advice
        } else if error.text.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0 == "_" }), !error.text.isEmpty
        {
            // In `query Country population > 3`, the shell takes the operator and its value for itself.
            recovery =
                "Put the whole predicate in quotes, because a shell takes > < & and | for itself: '\(error.text) > 3'."
        }
        self.init(
            .usage, "invalidPredicate", error.message, model: error.model, recovery: recovery, detail: error.excerpt)
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
}
