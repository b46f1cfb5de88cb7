internal import TidelogLMDB

extension DataStoreError {
    /// Translates an error of LMDB in the log to an error of the store. Damage becomes the error `logDamaged`. Other errors
    /// are returned unchanged.
    static func translatingLogError(_ error: any Error, _ what: String) -> any Error {
        let translated = translating(error, what)
        guard let cause = error as? LMDBError, let failure = translated as? DataStoreError else { return translated }
        // A log always has all of its keyspaces. A missing keyspace is therefore damage.
        guard failure.code == .damaged || cause.code == .notFound else { return translated }
        return DataStoreError(
            .logDamaged, failure.message, underlying: error,
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// The error for a damaged log. The text `what` completes the sentence "The log …".
    static func damagedLog(_ what: String) -> DataStoreError {
        DataStoreError(
            .logDamaged, "The log \(what).", recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    package static func damagedEvent(_ damage: EventDamage, at sequence: SequenceNumber) -> DataStoreError {
        if damage.isNewer {
            return DataStoreError(
                .newerFormat, "Event \(sequence) was written by a newer version: \(damage).",
                recovery: "Open the store with the version of Tidelog that wrote it, or a newer one.")
        }
        return DataStoreError(
            .logDamaged, "Event \(sequence) is damaged: \(damage).",
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }
}

/// Calls `body`, and translates errors of LMDB in the log to errors of the store. Damage becomes the error `logDamaged`.
@inline(__always)
func translatingLogErrors<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw DataStoreError.translatingLogError(error, what) }
}

extension EventView {
    /// Reads and verifies an event. The event in `bytes` must have the number `sequence`.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged` or `newerFormat`.
    @inline(__always)
    static func verified(_ bytes: UnsafeRawBufferPointer, _ sequence: UInt64) throws -> EventView {
        do throws(EventDamage) { return try EventView(verifying: bytes, expecting: sequence) } catch {
            throw DataStoreError.damagedEvent(error, at: SequenceNumber(sequence))
        }
    }
}
