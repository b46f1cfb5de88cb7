internal import Tidelog
internal import TidelogServer

/// Counts the records that use what a new schema removes: models, enum cases and required fields.
struct RemovedUses {
    private let stored: Schema
    private let next: Schema
    private let renamings: Renamings.Plan?
    /// The removals, by the case of an enum or the embedded type that they concern.
    private var removals: [Place: [SchemaChange]] = [:]
    /// The numbers of records, by the removal and by the name of the model.
    private(set) var counts: [SchemaChange: [String: Int]] = [:]

    /// A value that a record may hold: a case of an enum, or any value of an embedded type.
    private struct Place: Hashable {
        let type: String
        /// The case, compared by its bytes.
        var text: FieldValue?
    }

    /// Counts in `records`, which have the schema `stored`, the records that use the `removals` of `next`.
    init(
        of removals: [SchemaChange], from stored: Schema, to next: Schema, in records: some RecordSource,
        after renamings: Renamings.Plan?
    ) throws {
        self.stored = stored
        self.next = next
        self.renamings = renamings
        for change in removals { try note(change, records) }
        try countValues(records)
    }

    /// Counts the records that use a removed model or a required field of a model; keeps other removals for later.
    private mutating func note(_ change: SchemaChange, _ records: some RecordSource) throws {
        guard let type = change.type else { return }
        guard let member = change.member else {
            if let model = stored.model(named: type) { try countRecords(of: model, change, records) }
            return
        }
        if stored.enums.contains(where: { $0.name == type }) {
            removals[Place(type: type, text: .string(member)), default: []].append(change)
        } else if let model = stored.model(named: type) {
            guard model.field(named: member)?.isRequired == true else { return }
            try countRecords(of: model, change, records)
        } else if let embedded = stored.embeddedTypes.first(where: { $0.name == type }) {
            guard embedded.fields.first(where: { $0.name == member })?.isRequired == true else { return }
            removals[Place(type: type), default: []].append(change)
        }
    }

    /// The name that the store still has for a model.
    private func storedName(of model: String) -> String { renamings?.storedName(ofModel: model) ?? model }

    /// A tombstone does not count here, because no client asks for it under the new schema or misses the field in it.
    private mutating func countRecords(
        of model: ModelSchema, _ change: SchemaChange, _ records: some RecordSource
    ) throws {
        let isTombstone = QueryPredicate.field(Metadata.deleted, .notEqual(.bool(true)))
        let hasTombstones = model.field(named: Metadata.deleted) != nil
        let count = try records.count(
            Record.all(of: storedName(of: model.name)).where(hasTombstones ? isTombstone : .all))
        if count > 0 { counts[change, default: [:]][model.name] = count }
    }

    /// Reads the records of each model that may hold a removed case, or a value of a type that loses a required field.
    /// Tombstones count, because syncs give them with all their fields.
    private mutating func countValues(_ records: some RecordSource) throws {
        let types = Set(removals.keys.map(\.type))
        let reached = stored.reachedTypes
        for model in stored.models where !types.isDisjoint(with: reached[model.name, default: []]) {
            guard let served = next.model(named: model.name) else { continue }
            var found: [Place: Int] = [:]
            try records.forEach(Record.all(of: storedName(of: model.name))) { record in
                var places: Set<Place> = []
                for field in served.fields {
                    let name = renamings?.storedName(ofField: field.name, in: model.name) ?? field.name
                    collect(record[name], field.type, &places)
                }
                for place in places { found[place, default: 0] += 1 }
            }
            for (place, count) in found {
                for change in removals[place, default: []] { counts[change, default: [:]][model.name] = count }
            }
        }
    }

    /// Adds to `places` the removed cases and types that `value` holds, also inside of lists and embedded values.
    private func collect(_ value: FieldValue?, _ type: FieldType, _ places: inout Set<Place>) {
        switch (value, type) {
        case (.list(let elements)?, .list(let element, _)):
            for value in elements { collect(value, element, &places) }
        case (.string(let text)?, .enumeration(let name)):
            let place = Place(type: name, text: .string(text))
            if removals[place] != nil { places.insert(place) }
        case (.embedded(let values)?, .embedded(let name)):
            let place = Place(type: name)
            if removals[place] != nil { places.insert(place) }
            for field in next.embeddedTypes.first(where: { $0.name == name })?.fields ?? [] {
                collect(values[field.name], field.type, &places)
            }
        default: break
        }
    }
}
