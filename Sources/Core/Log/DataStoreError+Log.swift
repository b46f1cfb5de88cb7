extension DataStoreError {
    /// The error for a damaged log. The text `what` completes the sentence "The log …".
    static func damagedLog(_ what: String) -> DataStoreError {
        DataStoreError(
            .logDamaged, "The log \(what).", recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    static func damagedEvent(_ damage: EventDamage, at sequence: SequenceNumber) -> DataStoreError {
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
