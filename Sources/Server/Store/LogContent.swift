@_spi(Adapters) package import TidelogCore

/// Everything that a server keeps in a ``DataStore``.
package struct LogContent: ServedContent {
    package let identity: String
    private let store: DataStore
    /// The models of the API and the server's own ones, by name.
    private let models: [String: ModelSchema]

    /// About the number of bytes of one commit. It is well below the largest size of a commit.
    private static let commitByteCount = 16 << 20

    /// - Parameters:
    ///   - store: A store that was opened for writing, so that no server uses it.
    ///   - schema: The models of the API with their metadata.
    package init(_ store: DataStore, schema: Schema) throws {
        self.store = store
        identity = "store \(try store.id)"
        models = Dictionary(
            uniqueKeysWithValues: ServerModels.adding(to: schema).models.map { ($0.name, $0) })
    }

    /// Reads the facts of a server's store.
    package static func facts(of store: DataStore) async throws -> ServedFacts {
        try await store.read { snapshot in
            var facts = ServedFacts(source: nil, kind: .versioned, time: 0, secrets: [])
            for record in try snapshot.fetch(Record.all(of: ServerModels.fact)) {
                guard case .string(let name)? = record["id"] else { continue }
                switch (name, record["text"], record["number"], record["bytes"]) {
                case ("source", .string(let text)?, _, _): facts.source = text
                case ("api", .string(let text)?, _, _): facts.kind = APIKind(rawValue: text) ?? .versioned
                case (ServedFacts.copy, .string(let text)?, _, _): facts.unfinishedSource = text
                case (ChangeTime.fact, _, .int(let number)?, _): facts.time = number
                case (_, _, _, .list(let bytes)?):
                    let secret = ServedFacts.Secret(
                        fact: name,
                        bytes.compactMap {
                            if case .int(let byte)? = $0 { UInt8(truncatingIfNeeded: byte) } else { nil }
                        })
                    if let secret { facts.secrets.append(secret) }
                default: break
                }
            }
            // Stores of the earliest servers have no ceiling of the time.
            let latest = Sort([Sort.Key(Metadata.lastChangedAt, isDescending: true)])
            for model in snapshot.layout.models where model.row.field(named: Metadata.lastChangedAt) != nil {
                for record in try snapshot.fetch(Record.all(of: model.name).sorted(by: latest).limit(1)) {
                    facts.time = max(facts.time, record.lastChangedAt)
                }
            }
            return facts
        }
    }

    /// Whether `store` has no records and no answers of a server.
    package static func isEmpty(_ store: DataStore) async throws -> Bool {
        try await store.read { snapshot in
            try snapshot.layout.models.allSatisfy { model in
                try model.name == ServerModels.fact || snapshot.count(Record.all(of: model.name)) == 0
            }
        }
    }

    /// Notes that the store is a copy of the place `source` that is not complete yet, so that no server uses it.
    package func begin(_ facts: ServedFacts, from source: String) async throws {
        _ = try await store.writeReturning { transaction in
            try Self.save(ServedFacts.copy, ["text": .string(source)], transaction)
            try Self.save("source", ["text": facts.source.map { .string($0) }], transaction)
            try Self.save("api", ["text": .string(facts.kind.rawValue)], transaction)
        }
    }

    private static func save(
        _ fact: String, _ values: [String: FieldValue?], _ transaction: StoreTransaction
    ) throws {
        var record = Record(model: ServerModels.fact, values: ["id": .string(fact)])
        for (name, value) in values { record[name] = value }
        try transaction.save(record)
    }

    // MARK: Reading

    package func count(_ model: String) async throws -> Int {
        try await store.read { try $0.count(Record.all(of: model)) }
    }

    package func page(_ model: String, after place: PagePlace?, limit: Int) async throws -> ServedPage {
        let query = PageQuery(Record.all(of: model), limit: limit, place: place)
        let page = try await store.read { try $0.page(query) }
        return ServedPage(page.records.map(served), next: page.next)
    }

    package func stored(_ model: String, as records: [Record]) async throws -> [Record?] {
        try await store.read { snapshot in
            try records.map { record in try snapshot.record(model, id: id(of: record)).map(served) }
        }
    }

    private func id(of record: Record) -> RecordID {
        RecordID((models[record.model]?.primaryKey ?? []).compactMap { record[$0] })
    }

    /// `record` without the values of fields that the schema no longer has.
    private func served(_ record: Record) -> Record {
        guard let model = models[record.model] else { return record }
        return Record(model: record.model, values: record.values.filter { model.field(named: $0.key) != nil })
    }

    // MARK: Writing

    package func write(_ model: String, saved: [Record], replaced: [Record], removed: [Record]) async throws {
        let removed = removed.map { id(of: $0) }
        for part in Self.parts(of: saved, byteCount: Self.commitByteCount) {
            try await write { transaction in for record in part { try transaction.save(record) } }
        }
        guard !removed.isEmpty else { return }
        try await write { transaction in
            for id in removed { try transaction.delete(model, id: id, cascading: false) }
        }
    }

    private func write(_ body: @escaping @Sendable (StoreTransaction) throws -> Void) async throws {
        _ = try await store.writeReturning(requireParents: false) { transaction in
            // The values were checked by the server that stored them.
            transaction.checksRules = false
            try body(transaction)
        }
    }

    /// Splits records into parts for commits of about `byteCount`. A record that is larger is a part of its own.
    static func parts(of records: [Record], byteCount: Int) -> [ArraySlice<Record>] {
        var parts: [ArraySlice<Record>] = []
        var start = 0
        var size = 0
        for (index, record) in records.enumerated() {
            let next = record.estimatedByteCount
            if index > start, size + next > byteCount {
                parts.append(records[start..<index])
                (start, size) = (index, 0)
            }
            size += next
        }
        return start < records.count ? parts + [records[start...]] : parts
    }

    package func finish(_ facts: ServedFacts) async throws {
        _ = try await store.writeReturning { transaction in
            try Self.save(ChangeTime.fact, ["number": .int(facts.time)], transaction)
            for secret in facts.secrets {
                let list = FieldValue.list(secret.bytes.map { .int(Int64($0)) })
                try Self.save(secret.fact, ["bytes": list], transaction)
            }
            try transaction.delete(ServerModels.fact, id: RecordID(ServedFacts.copy))
        }
    }
}
