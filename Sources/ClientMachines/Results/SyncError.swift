public import TidelogSchema

/// A failure of the sync.
public struct SyncError: TidelogError {
    /// The kinds of failure. Later versions may add kinds, so that a `switch` needs a `default`.
    public struct Code: TidelogErrorCode {
        /// The name of the code.
        public let name: String

        /// The code called `name`.
        public init(_ name: String) { self.name = name }

        /// The store was synced with another server or as another person earlier.
        public static let identityChanged = Code("identityChanged")
        /// The server that was to be adopted does not have the records of the store.
        public static let unrelatedServer = Code("unrelatedServer")
        /// The server does not accept the credentials.
        public static let unauthorized = Code("unauthorized")
        /// The server gave no answer within the allowed time.
        public static let unreachable = Code("unreachable")
        /// The configuration has a number that is out of range, names a model that is not synced, or asks for a mode of
        /// authorization that is not supported.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The engine was stopped.
        public static let stopped = Code("stopped")
        /// The engine has no endpoint.
        public static let localOnly = Code("localOnly")
        /// Changes that no server has accepted would be lost.
        public static let unsentChanges = Code("unsentChanges")
        /// The server refuses a local change. The change was set aside.
        public static let changeRefused = Code("changeRefused")
        /// The server could not make a local change so far. It is asked again.
        public static let changeDelayed = Code("changeDelayed")
        /// The server answers, but nothing more could be sent or received within the allowed time.
        public static let noProgress = Code("noProgress")
        /// The deadline of a single run of a sync passed before everything was sent and received.
        public static let deadlinePassed = Code("deadlinePassed")
        /// The server refuses the queries or the subscriptions of a model.
        public static let modelRefused = Code("modelRefused")
        /// The server answers the queries of a model with an error that may pass. The queries are repeated.
        public static let modelFailed = Code("modelFailed")
        /// The server does not push changes, so the engine queries it at intervals.
        public static let notPushed = Code("notPushed")
        /// The server sent an answer that cannot be used at all.
        public static let badAnswer = Code("badAnswer")
        /// The store failed. ``SyncError/underlying`` is the store's error.
        public static let store = Code("store")
    }

    /// The kind of the failure.
    public let code: Code
    /// A description of the failure, as a sentence.
    public let message: String
    /// Advice on what to do, as a sentence.
    public let recovery: String
    /// The underlying error.
    public let underlying: (any Error)?
    /// The number of local changes that no server has accepted; `nil` unless the code is `unsentChanges`.
    public package(set) var unsentCount: Int?

    package init(_ code: Code, _ message: String, recovery: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.recovery = recovery
        self.underlying = underlying
    }
}

extension SyncError {
    package static let stopped = SyncError(.stopped, "The engine was stopped.", recovery: "Start it again.")

    package static func store(_ error: any Error) -> SyncError {
        if let error = error as? SyncError { return error }
        let error = error as? DataStoreError
        return SyncError(
            .store, "The store failed: \(error?.message ?? "it gives another error.")",
            recovery: error?.recovery ?? "Read the cause.", underlying: error)
    }

    package static func unreachable(_ failure: RequestFailure?) -> SyncError {
        SyncError(
            .unreachable, failure?.message ?? "The server gave no answer.",
            recovery:
                "Check the address and whether the server runs. Nothing is lost: the next sync continues from this point.",
            underlying: failure?.cause)
    }

    package static func unauthorized(_ failure: RequestFailure?) -> SyncError {
        if let failure, failure.kind == .noToken || failure.kind == .anotherPerson {
            return SyncError(
                .unauthorized, "There is no session: \(failure.message)",
                recovery: "Sign in. Nothing is lost: the next sync continues from this point.",
                underlying: failure.cause)
        }
        return SyncError(
            .unauthorized, "The server does not accept the credentials: \(failure?.message ?? "it gives no reason.")",
            recovery: "Sign in again, or check the key. Nothing is lost: the next sync continues from this point.",
            underlying: failure?.cause)
    }

    package static let localOnly = SyncError(
        .localOnly, "The engine has no endpoint, so the store stays on this device.",
        recovery: "Make the engine with the endpoint of a server.")

    package static func unsentChanges(_ count: Int) -> SyncError {
        var error = SyncError(
            .unsentChanges, "\(count) local changes were not taken by the server; clearing the store would lose them.",
            recovery: "Sync the store first, or clear it with discardingUnsent: true.")
        error.unsentCount = count
        return error
    }

    package static func changeRefused(_ reference: RecordReference, _ reason: SetAsideChange.Reason) -> SyncError {
        SyncError(
            .changeRefused,
            "The server refuses a change of \(reference.model) \(reference.id): \(reason.text)",
            recovery: "The change was set aside: SyncOutbox lists it, and tries it again or discards it.")
    }

    package static func changeDelayed(_ reference: RecordReference, _ tries: FailedTries) -> SyncError {
        SyncError(
            .changeDelayed,
            "The server could not make a change of \(reference.model) \(reference.id): \(tries.reason.text)",
            recovery:
                "The engine asks again, and sets the change aside after a day and ten tries. Other changes are sent.")
    }

    package static func noProgress(_ failure: RequestFailure?) -> SyncError {
        SyncError(
            .noProgress, "The server answers, but nothing more could be sent or received for too long.",
            recovery:
                "Read the other messages, and check the server's log. Nothing is lost: the next sync continues here.",
            underlying: failure?.cause)
    }

    package static let deadlinePassed = SyncError(
        .deadlinePassed, "The deadline passed before everything was sent and received.",
        recovery: "Nothing is lost: the next sync continues from this point.")

    package static func modelRefused(_ model: String, _ errorType: String, _ message: String) -> SyncError {
        SyncError(
            .modelRefused, "The server refuses the model \(model): \(SetAsideChange.Reason(errorType, message).text)",
            recovery: "Check the server's schema and its access rules. Other models are synced.")
    }

    package static func modelFailed(_ model: String, _ message: String) -> SyncError {
        SyncError(
            .modelFailed, "The server fails to answer the queries of the model \(model): \(message)",
            recovery: "Check the server. The engine asks again; other models are synced, and changes are sent.")
    }

    package static func notPushed(_ models: [String], _ message: String) -> SyncError {
        SyncError(
            .notPushed,
            "The server does not push changes of \(models.joined(separator: ", ")): \(message)",
            recovery: "Check whether a proxy blocks WebSockets. Until changes are pushed, the engine asks for them at "
                + "intervals of 1 to 10 minutes.")
    }

    package static func badAnswer(_ message: String) -> SyncError {
        SyncError(
            .badAnswer, "The server's answer is not usable: \(message)",
            recovery:
                "Check the server. The usable records are in the store, and the next sync asks for the rest again.")
    }

    package static func identityChanged(from former: SyncIdentity) -> SyncError {
        SyncError(
            .identityChanged, "The store was synced with \(former.endpoint) before\(former.person).",
            recovery: "Sync it with that server as that person. If the server has moved, adopt it with "
                + "start(adoptingServer: true) or `tidelog sync --adopt`. Otherwise clear the store first.")
    }

    /// The person of the credentials is not the person that the store was synced as, so the server is not adopted.
    package static func anotherPerson(than former: SyncIdentity) -> SyncError {
        SyncError(
            .identityChanged, "The store was synced with \(former.endpoint) before\(former.person).",
            recovery: "A server can be adopted, but not another person. Sync the store as that person, or clear it.")
    }

}

extension SyncError {
    /// The failure of a request.
    package init(_ failure: RequestFailure) {
        self =
            switch failure.kind {
            case .unreachable: .unreachable(failure)
            case .unauthorized, .noToken, .anotherPerson: .unauthorized(failure)
            case .unusable: .badAnswer(failure.message)
            }
    }
}

extension SyncIdentity {
    /// The person as a part of a sentence.
    fileprivate var person: String {
        guard let subject else { return ", with no name in the credentials" }
        return ", as \(subject)" + (issuer.map { " of \($0)" } ?? "")
    }
}
