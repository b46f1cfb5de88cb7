internal import TidelogSynchronization

/// All schemas of a store's log, with their layouts. An event is read with the schema that it names. Rows that are made
/// from events have the form of the latest schema.
final class SchemaHistory: Sendable {
    private let state = Mutex(State())

    private struct State {
        private(set) var layouts: [UInt32: SchemaLayout] = [:]
        private(set) var latest: SchemaLayout?
        private(set) var upcasts = SchemaUpcasts([])

        mutating func add(_ added: [SchemaLayout]) {
            for layout in added { layouts[layout.schema.version] = layout }
            let ascending = layouts.values.sorted { $0.schema.version < $1.schema.version }
            latest = ascending.last
            upcasts = SchemaUpcasts(ascending)
        }
    }

    init(_ schemas: [StoredSchema]) {
        state.withLock { $0.add(schemas.map { SchemaLayout($0) }) }
    }

    func add(_ layout: SchemaLayout) { state.withLock { $0.add([layout]) } }

    func knows(version: UInt32) -> Bool { state.withLock { $0.layouts[version] != nil } }

    /// The rules for reading rows of earlier schemas as rows of the latest schema.
    var upcasts: SchemaUpcasts { state.withLock { $0.upcasts } }

    func layout(version: UInt32) throws -> SchemaLayout {
        guard let layout = state.withLock({ $0.layouts[version] }) else {
            throw DataStoreError.damagedLog("has an event of schema version \(version), which it does not hold")
        }
        return layout
    }

    func layout(version: UInt32, model: UInt32) throws -> ModelLayout {
        guard let layout = try layout(version: version).model(numbered: model) else {
            throw DataStoreError.damagedLog(
                "has an event of model \(model), which schema version \(version) does not hold")
        }
        return layout
    }

    /// The latest schema.
    var latest: SchemaLayout? { state.withLock { $0.latest } }

    /// Whether rows that were made under schema `version` must be made again for the latest schema. This is so if the
    /// rows lack values, or are stored in another place.
    ///
    /// - Parameter storesNames: Whether the adapter stores rows under the names of models and fields.
    func requiresNewRows(since version: UInt32, storesNames: Bool) -> Bool {
        let (old, latest, upcasts) = state.withLock {
            ($0.layouts[version]?.schema, $0.latest?.schema, $0.upcasts)
        }
        guard let old, let latest, version < latest.version else { return false }
        if upcasts.concernsRows(since: version) { return true }
        let names = Dictionary(uniqueKeysWithValues: latest.modelNumbers.map { ($1, $0) })
        for (name, number) in old.modelNumbers {
            guard let now = names[number] else { continue }
            if storesNames, now != name { return true }
            let fields = latest.fieldNumbers[now] ?? [:]
            for (field, number) in old.fieldNumbers[name] ?? [:] where fields[field] != number {
                // The field was removed or renamed, or its name now belongs to another field.
                if storesNames || fields[field] != nil { return true }
            }
        }
        return false
    }
}
