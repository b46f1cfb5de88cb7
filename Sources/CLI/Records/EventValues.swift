@_spi(Adapters) internal import Tidelog

/// The values that an event changed, with their values before the event as far as the log still has them.
struct EventValues {
    /// The effect of the event on the values.
    enum Kind {
        /// The record is new, or the event has a server's record that leaves the row as it is. Only the values after the event
        /// are shown.
        case set
        /// The record existed before.
        case changed
        /// The record is gone. Only the values before the event are shown.
        case removed
    }

    struct Change {
        let name: String
        /// The field's text before the event, `nil` if it had no value or if that is not known.
        let before: String?
        let after: String?
    }

    let kind: Kind
    /// Whether the values before the event are known. After a compaction they may not be.
    let isBeforeKnown: Bool
    let changes: [Change]

    /// - Parameter former: The last event before `event` that changed the row of its record, if the log still has it.
    init(_ event: Event, after former: Event?) throws {
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

extension EventValues {
    /// The values on one line: `rating 3 → 5`. A field without a value has a dash.
    ///
    /// - Parameter width: The columns for the line. Long values are cut so that the line is not longer.
    func text(fitting width: Int? = nil) -> String {
        let line = text(valueWidth: .max)
        guard let width, line.columnCount > width else { return line }
        // All values are cut to the same width, so that as many fields as possible are shown.
        for valueWidth in stride(from: max(8, width / 2), through: 8, by: -4) {
            let line = text(valueWidth: valueWidth)
            if line.columnCount <= width { return line }
        }
        return text(valueWidth: 8).fitted(to: width)
    }

    private func text(valueWidth: Int) -> String {
        let parts = changes.map { change in
            let before = change.before?.fitted(to: valueWidth)
            let after = change.after?.fitted(to: valueWidth)
            return switch kind {
            case .set: "\(change.name) \(after ?? "–")"
            case .removed: "\(change.name) \(before ?? "–")"
            case .changed where isBeforeKnown: "\(change.name) \(before ?? "–") → \(after ?? "–")"
            case .changed: "\(change.name) → \(after ?? "–")"
            }
        }
        return (kind == .removed && !parts.isEmpty ? "was " : "") + parts.joined(separator: ", ")
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
