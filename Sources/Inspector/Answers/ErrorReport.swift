internal import TidelogCore
internal import TidelogRecordText

/// An error in the form that the page shows: as the command line words it, with the place in a predicate.
struct ErrorReport: Error, Encodable, Sendable {
    /// The status of the HTTP response.
    let status: Int
    /// A word for programs.
    let code: String
    /// The description, as a sentence.
    let message: String
    /// The advice, empty if there is none.
    let recovery: String
    /// The line of a predicate with a mark below the error.
    let excerpt: String?
    /// The whole predicate in its right form, if its mistakes are known.
    let corrected: String?

    private enum CodingKeys: CodingKey {
        case code, message, recovery, excerpt, corrected
    }

    init(
        _ status: Int, _ code: String, _ message: String, recovery: String = "", excerpt: String? = nil,
        corrected: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.recovery = recovery
        self.excerpt = excerpt
        self.corrected = corrected
    }

    static let notFound = ErrorReport(404, "notFound", "There is nothing at this address.")
    static let methodNotAllowed = ErrorReport(405, "methodNotAllowed", "This address takes another method.")

    /// The report of any error.
    init(_ error: any Error) {
        switch error {
        case let report as ErrorReport: self = report
        case let refusal as PredicateRefusal:
            self.init(
                400, DataStoreError.Code.invalidPredicate.name, refusal.message,
                recovery: refusal.recovery
                    ?? "Predicates are written as in Swift: rating > 3 && name.beginsWith(\"San\").",
                excerpt: refusal.excerpt, corrected: refusal.corrected)
        case let refusal as KeyRefusal: self.init(400, "invalidKey", refusal.message, recovery: refusal.recovery)
        case let error as DataStoreError:
            let cause = error.underlying.map { " Cause: \($0)." } ?? ""
            self.init(Self.status(error.code), error.code.name, error.message + cause, recovery: error.recovery)
        case is RowDamage:
            self.init(
                500, DataStoreError.Code.damaged.name, "A stored row does not decode.",
                recovery: "Run `tidelog verify`, then `tidelog rebuild`, which recreates the rows from the log.")
        default: self.init(500, "failed", "\(error)")
        }
    }

    private static func status(_ code: DataStoreError.Code) -> Int {
        switch code {
        case .invalidPredicate, .unknownModel, .invalidValue, .configurationMismatch: 400
        case .notFound: 404
        case .locked, .storeCleared, .lagged: 409
        case .closed, .projectionUnavailable: 503
        default: 500
        }
    }
}
