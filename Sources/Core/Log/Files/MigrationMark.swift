/// The progress of a migration (FORMATS, section 2). After an interruption, the migration continues from here.
package struct MigrationMark: Sendable, Hashable {
    /// The schema version that the migration writes records for.
    package var schemaVersion: UInt32
    /// The event that introduced this schema.
    package var sequence: SequenceNumber
    /// The model of the last record that the migration has written, 0 if there is none.
    var model: UInt32 = 0
    /// The primary key of this record.
    var key: [UInt8] = []

    package init(schemaVersion: UInt32, sequence: SequenceNumber) {
        self.schemaVersion = schemaVersion
        self.sequence = sequence
    }

    package init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 16, let base = bytes.baseAddress.map({ UnsafeRawPointer($0) }) else { return nil }
        schemaVersion = base.load(0, as: UInt32.self)
        sequence = SequenceNumber(base.load(4, as: UInt64.self))
        model = base.load(12, as: UInt32.self)
        key = Array(bytes[16...])
    }

    var encoded: [UInt8] {
        schemaVersion.littleEndianBytes + sequence.value.littleEndianBytes + model.littleEndianBytes + key
    }
}
