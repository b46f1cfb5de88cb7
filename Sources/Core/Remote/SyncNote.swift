/// A value that the sync engine keeps in the log under a name, for example the progress of a base query.
package struct SyncNote: Sendable, Hashable {
    /// The name: 1 to 255 bytes of UTF-8.
    package var name: String
    /// The value, or `nil` if the note is removed.
    package var value: [UInt8]?

    /// An entry of the table of notes (FORMATS, section 7.5): the latest event of a name, and its value.
    package struct Entry {
        package let sequence: SequenceNumber
        /// The value, or `nil` if the event removed the note.
        package let value: UnsafeRawBufferPointer?

        private static let headerByteCount = 9

        /// Decodes an entry, or returns `nil` if the bytes are not an entry. The entry is valid as long as the bytes.
        package init?(encoded bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= Self.headerByteCount, let base = bytes.baseAddress else { return nil }
            sequence = SequenceNumber(UnsafeRawPointer(base).load(0, as: UInt64.self))
            switch bytes[8] {
            case 0 where bytes.count == Self.headerByteCount: value = nil
            case 1: value = UnsafeRawBufferPointer(rebasing: bytes[Self.headerByteCount...])
            default: return nil
            }
        }

        /// The bytes of the entry for `event`.
        static func encoded(_ event: EventView) -> [UInt8] {
            let value = event.noteValue
            var bytes: [UInt8] = []
            bytes.reserveCapacity(headerByteCount + (value?.count ?? 0))
            bytes.append(littleEndian: event.sequence.value)
            bytes.append(value == nil ? 0 : 1)
            if let value { bytes.append(contentsOf: value) }
            return bytes
        }
    }

    /// Whether a note's event is the latest of its name. The rows give the answer, and the log confirms it.
    enum Standing {
        /// The event is the latest of its name.
        case latest
        /// The log has a later event with that name.
        case superseded

        /// Looks up the latest event with the note's name.
        ///
        /// - Parameter find: Returns the event of the log with a number, or `nil` if there is none.
        /// - Throws: ``RowsDisagreement`` if the rows cannot be right.
        init(of event: EventView, rows: any AdapterReader, find: (UInt64) throws -> EventView?) throws {
            let disagreement = RowsDisagreement(sequence: event.sequence, model: nil)
            guard let entry = try rows.noteEntry(event.key), entry.sequence >= event.sequence else {
                throw disagreement
            }
            if entry.sequence == event.sequence {
                guard (entry.value == nil) == (event.noteValue == nil) else { throw disagreement }
                self = .latest
                return
            }
            guard let later = try find(entry.sequence.value), later.kind == .noted,
                ByteComparison.order(later.key, event.key) == 0
            else { throw disagreement }
            self = .superseded
        }
    }

    /// Checks the sizes of the name and the value.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue`.
    func check() throws {
        guard (1...Limits.noteNameByteCount).contains(name.utf8.count) else {
            throw DataStoreError(
                .invalidValue, "The name of a note has \(name.utf8.count) bytes.",
                recovery: "A name has 1 to \(Limits.noteNameByteCount) bytes.")
        }
        guard value?.count ?? 0 <= Limits.noteByteCount else {
            throw DataStoreError(
                .invalidValue, "The note \(name) has \(value?.count ?? 0) bytes.",
                recovery: "A note has at most \(Limits.noteByteCount) bytes.")
        }
    }
}

extension AdapterReader {
    /// The entry of a note, or `nil` if there is none. Valid until the next call.
    func noteEntry(_ name: UnsafeRawBufferPointer) throws -> SyncNote.Entry? {
        guard let value = try auxiliaryValue(name, in: .notes) else { return nil }
        guard let entry = SyncNote.Entry(encoded: value) else { throw RowDamage("a note does not decode") }
        return entry
    }

    /// The value of the note called `name`, or `nil` if there is none.
    func note(_ name: String) throws -> [UInt8]? {
        var name = name
        return try name.withUTF8 { try noteEntry(UnsafeRawBufferPointer($0))?.value.map { Array($0) } }
    }

    /// Calls `body` with each note whose name begins with `prefix`, in the order of the names' bytes, until it returns false.
    func forEachNote(prefix: String, _ body: (SyncNote) throws -> Bool) throws {
        if !prefix.isEmpty, let value = try note(prefix), try !body(SyncNote(name: prefix, value: value)) { return }
        let prefix = Array(prefix.utf8)
        try auxiliaryEntries(after: prefix.isEmpty ? nil : prefix, in: .notes) { name, value in
            guard name.prefix(prefix.count).elementsEqual(prefix) else { return false }
            guard let entry = SyncNote.Entry(encoded: value),
                let name = String(validating: name.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
            else { throw RowDamage("a note does not decode") }
            guard let value = entry.value else { return true }
            return try body(SyncNote(name: name, value: Array(value)))
        }
    }
}

extension AdapterTransaction {
    /// Writes the entry for `event`, which is a note.
    func putNote(of event: EventView) throws {
        precondition(event.kind == .noted, "the event is a note")
        try SyncNote.Entry.encoded(event).withUnsafeBytes { try putAuxiliary(event.key, $0, in: .notes) }
    }
}

/// An error: the rows contradict the log about the record or the note of an event.
struct RowsDisagreement: Error {
    let sequence: SequenceNumber
    /// The record's model, or `nil` if the event is a note.
    let model: String?
}
