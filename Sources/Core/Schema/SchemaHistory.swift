internal import Synchronization

/// Every schema that a store's log has had, laid out: events are read by the one they name.
final class SchemaHistory: Sendable {
    private let layouts: Mutex<[UInt32: SchemaLayout]>

    init(_ schemas: [StoredSchema]) {
        layouts = Mutex(Dictionary(uniqueKeysWithValues: schemas.map { ($0.version, SchemaLayout($0)) }))
    }

    func add(_ layout: SchemaLayout) { layouts.withLock { $0[layout.schema.version] = layout } }

    func knows(version: UInt32) -> Bool { layouts.withLock { $0[version] != nil } }

    func layout(version: UInt32) throws -> SchemaLayout {
        guard let layout = layouts.withLock({ $0[version] }) else {
            throw EventLog.damaged("has an event of schema version \(version), which it does not hold")
        }
        return layout
    }

    func layout(version: UInt32, model: UInt32) throws -> ModelLayout {
        guard let layout = try layout(version: version).model(numbered: model) else {
            throw EventLog.damaged("has an event of model \(model), which schema version \(version) does not hold")
        }
        return layout
    }
}
