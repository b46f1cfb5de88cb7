internal import TidelogLMDB

extension EventLog {
    /// All schemas of the log, the oldest first.
    func schemas() throws -> [StoredSchema] {
        try withReader { reader in
            try reader.schemaSequences().map { version, sequence in
                guard let event = try reader.event(at: sequence), event.kind == .schemaChanged else {
                    throw DataStoreError.damagedLog(
                        "has no schema at event \(sequence), where its index says there is one")
                }
                let schema = try SchemaCoding.decode(event.payload)
                guard schema.version == version else {
                    throw DataStoreError.damagedLog("has another schema at event \(sequence)")
                }
                return schema
            }
        }
    }
}
