@_spi(Adapters) internal import TidelogCore
internal import TidelogLMDB

/// The schemas for reading salvaged events. They are the schemas that were found, and replacements for lost ones.
struct SalvagedSchemas {
    /// All schemas by version.
    private(set) var byVersion: [UInt32: StoredSchema] = [:]
    /// The versions of lost schemas, each with the sequence number at which its replacement is written.
    private(set) var substitutes: [(sequence: UInt64, version: UInt32)] = []
    /// The versions for which the caller's schema is used. Events of these versions must be checked against it.
    private(set) var given: Set<UInt32> = []

    /// - Parameters:
    ///   - declared: The app's schema, for a log that has lost all of its schemas.
    ///   - rowsVersion: The schema version of the rows, `nil` if there are no rows.
    /// - Throws: ``DataStoreError`` with code `logDamaged` if there is no schema at all.
    init(_ survey: LogSurvey, _ files: DamagedLogFiles, given declared: Schema?, rowsVersion: UInt32?) throws {
        var first: [UInt32: Int] = [:]
        var found: [UInt32: UInt64] = [:]
        for (index, event) in survey.events.enumerated() {
            if event.kind == .schemaChanged {
                guard let schema = try Self.schema(of: event, files) else { continue }
                byVersion[schema.version] = byVersion[schema.version] ?? schema
                found[schema.version] = found[schema.version] ?? event.sequence
            } else if first[event.schemaVersion] == nil {
                first[event.schemaVersion] = index
            }
        }
        var missing = first.keys.filter { version in
            (found[version] ?? .max) > survey.events[first[version] ?? 0].sequence
        }.sorted()
        if let rowsVersion, first[rowsVersion] == nil, found[rowsVersion] == nil { missing.append(rowsVersion) }
        let known = byVersion
        for version in missing {
            guard let schema = Self.nearest(to: version, in: known) ?? declared.map({ StoredSchema(first: $0) }) else {
                throw Self.withoutSchema
            }
            if known.isEmpty { given.insert(version) }
            byVersion[version] = byVersion[version] ?? schema.numbered(version)
            guard let index = first[version], let sequence = gap(before: index, in: survey.events) else { continue }
            substitutes.append((sequence, version))
        }
        substitutes.sort { $0.sequence < $1.sequence }
        guard !byVersion.isEmpty else { throw Self.withoutSchema }
    }

    private static func schema(of event: FoundEvent, _ files: DamagedLogFiles) throws -> StoredSchema? {
        try files.bytes(of: event).withUnsafeBytes { bytes in
            guard let view = try? EventView(verifying: bytes, expecting: event.sequence) else { return nil }
            do {
                let schema = try SchemaCoding.decode(view.payload)
                return schema.version == event.schemaVersion ? schema : nil
            } catch let error as DataStoreError where error.code == .damaged {
                return nil
            }
        }
    }

    /// The schema that has the most in common with the lost schema `version`. A later schema has all of its models and fields.
    private static func nearest(to version: UInt32, in known: [UInt32: StoredSchema]) -> StoredSchema? {
        let later = known.keys.filter { $0 > version }.min()
        return (later ?? known.keys.filter { $0 < version }.max()).flatMap { known[$0] }
    }

    /// The highest free number before the event at `index`. A free number belongs to no event and to no other replacement.
    private func gap(before index: Int, in events: ContiguousArray<FoundEvent>) -> UInt64? {
        var index = index
        while true {
            let lower = index > 0 ? events[index - 1].sequence + 1 : 1
            var number = events[index].sequence - 1
            while number >= lower {
                if !substitutes.contains(where: { $0.sequence == number }) { return number }
                number -= 1
            }
            guard index > 0 else { return nil }
            index -= 1
        }
    }

    private static var withoutSchema: DataStoreError {
        DataStoreError(
            .logDamaged, "The log has lost its schema, so its records cannot be read.",
            recovery: "Salvage it with the app's schema: `tidelog verify --salvage DIR --schema FILE`; "
                + "or restore a backup.")
    }
}

extension StoredSchema {
    /// A copy of the schema with another version.
    fileprivate func numbered(_ version: UInt32) -> StoredSchema {
        var copy = self
        copy.version = version
        return copy
    }
}
