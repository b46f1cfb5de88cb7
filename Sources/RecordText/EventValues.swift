@_spi(Adapters) package import TidelogCore

/// The values that an event changed, with their values before the event as far as the log still has them.
package struct EventValues: Sendable {
    /// The effect of the event on the values.
    package enum Kind: String, Sendable {
        /// The record is new, or the event has a server's record that leaves the row as it is. Only the values after the event
        /// are shown.
        case set
        /// The record existed before.
        case changed
        /// The record is gone. Only the values before the event are shown.
        case removed
    }

    /// The change of one field.
    package struct Change: Sendable {
        /// The name of the field.
        package let name: String
        /// The field's text before the event, `nil` if it had no value or if that is not known.
        package let before: String?
        /// The field's text after the event, `nil` if it has no value.
        package let after: String?
    }

    /// The effect of the event.
    package let kind: Kind
    /// Whether the values before the event are known. After a compaction they may not be.
    package let isBeforeKnown: Bool
    /// The fields that the event changed, in the order of the schema.
    package let changes: [Change]

    /// The values of `event`.
    ///
    /// - Parameter former: The last event before `event` that changed the row of its record, if the log still has it.
    package init(_ event: Event, after former: Event?) throws {
        let before = try former.flatMap { try Self.values($0) }
        let after = try Self.values(event)
        let isNew = event.previous == .zero || former != nil && before == nil
        guard let after else {
            kind = .removed
            isBeforeKnown = before != nil
            let values = event.changesRow ? before?.sorted { $0.ordinal < $1.ordinal } ?? [] : []
            changes = values.filter { !$0.isKey && $0.text != nil }.map {
                Change(name: $0.name, before: $0.text, after: nil)
            }
            return
        }
        isBeforeKnown = before != nil || isNew
        // The key of a record is among the changed fields only if the record did not exist before.
        let changed = Set(event.changedFields)
        let isWhole = isNew || event.isShadowed || after.contains { $0.isKey && changed.contains($0.name) }
        kind = isWhole ? .set : .changed
        guard !isWhole else {
            changes = after.filter { !$0.isKey && $0.text != nil }.map {
                Change(name: $0.name, before: nil, after: $0.text)
            }
            return
        }
        changes = after.filter { changed.contains($0.name) }.map { field in
            // A field keeps its slot when a schema change renames it.
            let old = before?.first { $0.slot == field.slot }
            return Change(name: field.name, before: old?.text, after: field.text)
        }
    }

    private struct Value {
        let name: String
        let slot: Int
        let ordinal: Int
        let isKey: Bool
        let text: String?
    }

    /// The fields of the row that `event` leaves, in the order of their declaration; `nil` if it leaves none.
    private static func values(_ event: Event) throws -> [Value]? {
        try event.withRow { row, model in
            let key = Set(model.keyFields.map(\.slot))
            return try model.row.fields.map { field in
                Value(
                    name: field.name, slot: field.slot, ordinal: field.ordinal, isKey: key.contains(field.slot),
                    text: try FieldValue(row, field: field)?.shown(as: field.type))
            }
        }
    }
}

extension FieldValue {
    /// The value on one line, with texts in quotation marks, so that they differ from numbers and from the words around them.
    fileprivate func shown(as type: FieldType) -> String {
        switch (self, type) {
        case (.string(let text), .id), (.string(let text), .enumeration): return text.withEscapedControls
        case (.string(let text), _):
            return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").withEscapedControls)\""
        case (.list(let values), .list(let element, _)):
            return "[\(values.map { $0?.shown(as: element) ?? "–" }.joined(separator: ", "))]"
        case (.embedded(let values), _):
            let members = values.sorted { $0.key < $1.key }.map { "\($0): \($1.shown(as: .string))" }
            return "{\(members.joined(separator: ", "))}"
        default: return text.withEscapedControls
        }
    }
}
