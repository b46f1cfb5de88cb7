package import TidelogAgreement
internal import TidelogCore

/// The options of a service.
package struct ServiceOptions: Sendable {
    /// The conflict strategy for changes to an old version of a record.
    package var strategy = ConflictStrategy.autoMerge
    /// The conflict strategies of single models, by the model's name.
    package var strategies: [String: ConflictStrategy] = [:]
    /// The time limit for an answer of a conflict handler.
    package var conflictTimeLimit = Duration.seconds(10)
    /// The age of a client's last sync, in milliseconds, up to which a sync query is a delta query.
    package var deltaAge: Int64 = 1_800_000
    /// The time in milliseconds for which tombstones are kept.
    package var tombstoneAge: Int64 = 2_592_000_000
    /// Whether a tombstone prevents the creation of a record with the same key, as with AppSync.
    package var keepsTombstones = false
    /// The number of bytes that the filters and conditions of a request may compare.
    package var maximumComparedBytes = 64 << 20
    /// The number of bytes that the filter of a subscription may compare for one change.
    package var maximumComparedBytesOfChange = 4 << 20
    /// The largest size of a response in bytes.
    package var maximumResponseBytes = 16 << 20
    /// The largest number of bytes of all responses that are being made or sent.
    package var maximumResponseBytesUnderWay = 256 << 20
    /// The default provider, whose callers may use models without rules.
    package var defaultProvider = AccessRule.Provider.apiKey
    /// Whether messages to subscribers contain only the fields that the mutation selected, as with AppSync.
    package var isSelectionStrict = false
    /// Whether `Int` has 32 bits, as with AppSync.
    package var isIntStrict = false

    package init() {}

    /// The options for an API of this kind. In an API without versions, the conflict strategies do not apply.
    func fitting(_ kind: APIKind) -> ServiceOptions {
        var options = self
        if kind.limitsMessages { options.isSelectionStrict = true }
        if kind == .timestamps { (options.strategy, options.strategies) = (.withoutVersions, [:]) }
        return options
    }

    /// Stops the process if a limit or an age cannot be used. The command line checks its options before.
    func requireUsable() {
        precondition(deltaAge >= 0, "the age of a client's last sync is not negative")
        precondition(tombstoneAge >= 0, "the age of tombstones is not negative")
        precondition(maximumComparedBytes > 0 && maximumComparedBytesOfChange > 0, "a filter may compare something")
        precondition(maximumResponseBytes > 0, "a response may have bytes")
        precondition(
            maximumResponseBytesUnderWay >= maximumResponseBytes, "there is room for one response of the largest size")
        precondition(conflictTimeLimit > .zero, "a conflict handler has time for an answer")
    }

    /// The conflict strategy for changes to an old version of a record of `model`.
    func strategy(of model: String) -> ConflictStrategy { strategies[model] ?? strategy }

    /// Whether clients of `model` may change records without knowing versions. For such clients, a deleted record is not there.
    func hasClientsWithoutVersions(of model: String) -> Bool {
        switch strategy(of: model) {
        case .unconditional, .withoutVersions: true
        case .autoMerge, .optimistic, .custom: false
        }
    }
}
