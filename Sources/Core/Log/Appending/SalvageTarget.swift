internal import TidelogLMDB

/// A new log into which a salvage copies events. The events keep their numbers, so that there may be gaps between them.
package struct SalvageTarget {
    private let writer: LogWriter
    private var keyspaces: LogKeyspaces { writer.log.keyspaces }

    /// Makes a log with `metadata` in `directory`, which must exist.
    package init(directory: String, metadata: LogMetadata) throws {
        writer = try LogWriter(directory: directory, create: metadata)
    }

    /// Appends whole events. Their numbers ascend, and are higher than those of all events in the log.
    package func append(_ events: [(sequence: UInt64, bytes: [UInt8])]) throws {
        try AppendFailure.throwingCause {
            try writer.commit { transaction in
                let cursor = try transaction.cursor(keyspaces.events)
                for event in events {
                    try event.bytes.withUnsafeBytes { bytes in
                        try cursor.append(event.sequence, bytes)
                        let view = try EventView(bytes)
                        guard view.kind == .schemaChanged else { return }
                        try keyspaces.notePlace(ofSchema: view.schemaVersion, at: view.sequence, transaction)
                    }
                }
            }
        }
    }

    /// The chain value of the event at `sequence`, `nil` if the log has no such event.
    package func chain(at sequence: SequenceNumber) throws -> UInt64? {
        try writer.log.withReader { try $0.event(at: sequence)?.chain }
    }

    /// Sets the floor, the migration and the positions of consumers, and makes the log durable.
    package func finish(floor: Position, migration: MigrationMark?, consumers: [String: Position]) throws {
        let kept = try eventCount(through: floor.sequence)
        try AppendFailure.throwingCause {
            try writer.update { transaction, metadata in
                metadata.floor = floor
                metadata.droppedCount = floor.sequence.value - kept
                metadata.migration = migration
                try keyspaces.move(consumers, transaction)
            }
        }
        try writer.sync()
    }

    private func eventCount(through last: SequenceNumber) throws -> UInt64 {
        try writer.log.withReader { reader in
            var count: UInt64 = 0
            try reader.forEach(after: .zero) { event in
                guard event.sequence <= last else { return false }
                count += 1
                return true
            }
            return count
        }
    }

    /// Closes the log.
    package func close() { writer.close() }
}
