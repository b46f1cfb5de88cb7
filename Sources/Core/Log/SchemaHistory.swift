internal import Synchronization

/// Every schema that a store's log has had, laid out: events are read by the one they name, and rows made from them are
/// rows of the latest.
final class SchemaHistory: Sendable {
    private let state: Mutex<State>

    private struct State {
        var layouts: [UInt32: SchemaLayout]
        var upcasts: SchemaUpcasts

        var ascending: [SchemaLayout] { layouts.values.sorted { $0.schema.version < $1.schema.version } }
    }

    init(_ schemas: [StoredSchema]) {
        let layouts = schemas.map { SchemaLayout($0) }
        state = Mutex(
            State(
                layouts: Dictionary(uniqueKeysWithValues: layouts.map { ($0.schema.version, $0) }),
                upcasts: SchemaUpcasts(layouts)))
    }

    func add(_ layout: SchemaLayout) {
        state.withLock { state in
            state.layouts[layout.schema.version] = layout
            state.upcasts = SchemaUpcasts(state.ascending)
        }
    }

    func knows(version: UInt32) -> Bool { state.withLock { $0.layouts[version] != nil } }

    /// What rows of earlier schemas are read as.
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
    var latest: SchemaLayout? { state.withLock { $0.ascending.last } }

    /// Whether rows that were made under schema `version` cannot go on under the latest one as they are: they lack
    /// values, or stand in another place.
    ///
    /// - Parameter storesNames: Whether the rows stand under the names of models and fields.
    func requiresNewRows(since version: UInt32, storesNames: Bool) -> Bool {
        let (old, latest, upcasts) = state.withLock {
            ($0.layouts[version]?.schema, $0.ascending.last?.schema, $0.upcasts)
        }
        guard let old, let latest, version < latest.version else { return false }
        if upcasts.concernsRows(since: version) { return true }
        let names = Dictionary(uniqueKeysWithValues: latest.modelNumbers.map { ($1, $0) })
        for (name, number) in old.modelNumbers {
            guard let now = names[number] else { continue }
            if storesNames, now != name { return true }
            let fields = latest.fieldNumbers[now] ?? [:]
            for (field, number) in old.fieldNumbers[name] ?? [:] where fields[field] != number {
                // A field that was given up, or another type's now; or renamed.
                if storesNames || fields[field] != nil { return true }
            }
        }
        return false
    }
}
