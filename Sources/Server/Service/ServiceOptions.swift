internal import TidelogCore

/// How a service answers, where that is a choice.
package struct ServiceOptions: Sendable {
    /// What becomes of changes that were made from an old version.
    package var strategy = ConflictStrategy.autoMerge
    /// The same for single models, by name.
    package var strategies: [String: ConflictStrategy] = [:]
    /// How long a handler of conflicts has for an answer.
    package var conflictTimeLimit = Duration.seconds(10)
    /// For how many milliseconds after a change a sync gets what changed alone.
    package var deltaAge: Int64 = 1_800_000
    /// For how many milliseconds tombstones are kept.
    package var tombstoneAge: Int64 = 2_592_000_000
    /// Whether no record may take a tombstone's place, as with AppSync.
    package var keepsTombstones = false
    /// How many bytes the filters and conditions of a request may compare.
    package var maximumComparedBytes = 64 << 20
    /// How many bytes the filter of a subscription may compare for one change.
    package var maximumComparedBytesOfChange = 4 << 20
    /// How many bytes a response may have.
    package var maximumResponseBytes = 16 << 20
    /// How many bytes all responses may have that are being made or sent.
    package var maximumResponseBytesUnderWay = 256 << 20
    /// How callers are recognised for whom a model without rules is open.
    package var defaultProvider = AccessRule.Provider.apiKey
    /// Whether subscribers are told of no more than the mutation selected, as with AppSync.
    package var isSelectionStrict = false
    /// Whether `Int` has 32 bits, as with AppSync.
    package var isIntStrict = false

    package init() {}

    /// What becomes of changes of `model` that were made from an old version.
    func strategy(of model: String) -> ConflictStrategy { strategies[model] ?? strategy }
}

/// What a service has from outside, so that a simulation can give it.
package struct ServiceEnvironment: Sendable {
    /// The milliseconds since 1970-01-01T00:00:00Z.
    package var clock: @Sendable () -> Int64
    /// As many random bytes as asked for.
    package var randomBytes: @Sendable (Int) -> [UInt8]

    package init(
        clock: @escaping @Sendable () -> Int64, randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        (self.clock, self.randomBytes) = (clock, randomBytes)
    }

    /// The system's clock and random bytes.
    package static let system = ServiceEnvironment(
        clock: { WallClock.microsecondsSince1970() / 1_000 },
        randomBytes: { count in
            do { return try Secrets.randomBytes(count) } catch {
                // Without them there are no secrets, and nothing may go on as if there were.
                preconditionFailure("the system gives random bytes")
            }
        })
}
