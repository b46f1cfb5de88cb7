internal import Tidelog
internal import TidelogJSON
internal import TidelogModelgen
@_spi(Adapters) internal import TidelogRecordJSON

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
        case is OutputClosed:
            self.init(
                .failed, "outputClosed", "Standard output was closed before the command had ended.",
                recovery: "What was committed stays; run the command again to finish it.")
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

    static func interrupted(_ message: String) -> CommandFailure {
        CommandFailure(
            .interrupted, "interrupted", message,
            recovery: "All commits so far stay. Run the command again to continue.")
    }

    /// The failure for a system call that failed on a file that the user named.
    static func file(_ what: String, _ path: String, _ error: Int32) -> CommandFailure {
        CommandFailure(
            .failed, "inputOutput", "Could not \(what) \(path): \(System.message(error)).",
            recovery: "Check the path and its permissions.")
    }
}
