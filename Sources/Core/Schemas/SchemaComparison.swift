/// Collects the changes of a ``SchemaDifference``.
struct SchemaComparison {
    private(set) var changes: [SchemaChange] = []
    private var type: String?

    mutating func compare(_ old: Schema, _ new: Schema) {
        match(old.models, new.models, named: \.name, order: "models are in another order") { comparison, old, new in
            comparison.compareType(old?.name, new?.name, kind: "model") { comparison in
                if let old, let new { comparison.compare(old, new) }
            }
        }
        match(
            old.embeddedTypes, new.embeddedTypes, named: \.name, order: "embedded types are in another order"
        ) { comparison, old, new in
            comparison.compareType(old?.name, new?.name, kind: "type") { comparison in
                guard let old, let new else { return }
                comparison.compare(old.fields, new.fields)
                comparison.compareDocumentation(nil, old.documentation, new.documentation)
            }
        }
        match(old.enums, new.enums, named: \.name, order: "enums are in another order") { comparison, old, new in
            comparison.compareType(old?.name, new?.name, kind: "enum") { comparison in
                guard let old, let new else { return }
                comparison.compareCases(old.cases, new.cases)
                comparison.compareDocumentation(nil, old.documentation, new.documentation)
            }
        }
    }

    private mutating func compareType(
        _ old: String?, _ new: String?, kind: String, _ both: (inout SchemaComparison) -> Void
    ) {
        type = new ?? old
        defer { type = nil }
        if old == nil {
            note(nil, "\(kind) added")
        } else if new == nil {
            note(nil, "\(kind) removed", isRemoval: true)
        } else {
            both(&self)
        }
    }

    private mutating func compare(_ old: ModelSchema, _ new: ModelSchema) {
        if old.primaryKey != new.primaryKey {
            let (before, after) = (old.primaryKey.joined(separator: ", "), new.primaryKey.joined(separator: ", "))
            note(nil, "primary key changed from (\(before)) to (\(after))", isLossless: false)
        }
        compare(old.fields, new.fields)
        match(old.indexes, new.indexes, named: \.name, order: "indexes are in another order") { comparison, old, new in
            guard let new else { return comparison.note(old?.name, "index removed") }
            let fields = new.fields.joined(separator: ", ")
            guard let old else { return comparison.note(new.name, "index on (\(fields)) added") }
            if old.fields != new.fields {
                comparison.note(new.name, "index changed from (\(old.fields.joined(separator: ", "))) to (\(fields))")
            }
            if old.queryField != new.queryField { comparison.note(new.name, "name of the index's query changed") }
        }
        match(
            old.associations, new.associations, named: \.name, order: "relations are in another order"
        ) { comparison, old, new in
            guard let new else { return comparison.note(old?.name, "relation removed") }
            guard let old else { return comparison.note(new.name, "relation to \(new.target) added") }
            if old != new { comparison.note(new.name, "relation to \(new.target) changed") }
        }
        if old.directives != new.directives { note(nil, "directives changed") }
        compareDocumentation(nil, old.documentation, new.documentation)
    }

    private mutating func compareCases(_ old: [String], _ new: [String]) {
        match(old, new, named: \.self, order: "cases are in another order") { comparison, old, new in
            if let new, old == nil { comparison.note(new, "case added") }
            if let old, new == nil { comparison.note(old, "case removed", isRemoval: true) }
        }
    }

    private mutating func compareDocumentation(_ member: String?, _ old: String?, _ new: String?) {
        if old != new { note(member, "description changed") }
    }

    private mutating func note(_ member: String?, _ text: String, isLossless: Bool = true, isRemoval: Bool = false) {
        changes.append(
            SchemaChange(type: type, member: member, text: text, isLossless: isLossless, isRemoval: isRemoval))
    }

    /// Calls `body` with the items of both lists that have the same name, in the order of `new`, and then with items only in
    /// `old`.
    private mutating func match<Element>(
        _ old: [Element], _ new: [Element], named name: KeyPath<Element, String>, order: String,
        _ body: (inout SchemaComparison, Element?, Element?) -> Void
    ) {
        let oldNames = Dictionary(old.map { ($0[keyPath: name], $0) }) { first, _ in first }
        let newNames = Set(new.map { $0[keyPath: name] })
        for element in new { body(&self, oldNames[element[keyPath: name]], element) }
        for element in old where !newNames.contains(element[keyPath: name]) { body(&self, element, nil) }
        let kept = old.map { $0[keyPath: name] }.filter { newNames.contains($0) }
        if kept != new.map({ $0[keyPath: name] }).filter({ oldNames[$0] != nil }) { note(nil, order) }
    }
}

// MARK: - Fields

extension SchemaComparison {
    private mutating func compare(_ old: [FieldSchema], _ new: [FieldSchema]) {
        match(old, new, named: \.name, order: "fields are in another order") { comparison, old, new in
            // A store keeps a removed field for other builds. New records lack it, so it must be optional or have a default.
            guard let new else {
                let kind = old?.isRequired == true ? "required field" : "field"
                return comparison.note(
                    old?.name, "\(kind) removed", isLossless: old?.mayBeLeftOut ?? true, isRemoval: true)
            }
            guard let old else {
                let kind = new.isRequired ? "required field" : "optional field"
                return comparison.note(new.name, "\(kind) added", isLossless: new.mayBeLeftOut)
            }
            comparison.compare(old, new)
        }
    }

    private mutating func compare(_ old: FieldSchema, _ new: FieldSchema) {
        if old.type != new.type {
            note(
                new.name, "type changed from \(old.type.sdl) to \(new.type.sdl)",
                isLossless: old.type.isRelaxed(to: new.type))
        }
        if old.isRequired != new.isRequired {
            note(new.name, new.isRequired ? "required now" : "optional now", isLossless: new.mayBeLeftOut)
        }
        if old.isReadOnly != new.isReadOnly {
            note(new.name, new.isReadOnly ? "read-only now" : "writable now")
        }
        if old.defaultValue != new.defaultValue {
            let word = old.defaultValue == nil ? "added" : new.defaultValue == nil ? "removed" : "changed"
            note(new.name, "default \(word)")
        }
        if old.scalar != new.scalar {
            note(new.name, "scalar changed from \(old.scalar ?? old.type.sdl) to \(new.scalar ?? new.type.sdl)")
        }
        compareDirectives(old, new)
        compareDocumentation(new.name, old.documentation, new.documentation)
    }

    private mutating func compareDirectives(_ old: FieldSchema, _ new: FieldSchema) {
        guard old.directives != new.directives else { return }
        let count = changes.count
        for kind in ValidationRule.Kind.allCases {
            let (before, after) = (old.rules.first { $0.kind == kind }, new.rules.first { $0.kind == kind })
            switch (before, after) {
            case (let before?, let after?) where before.description != after.description:
                note(new.name, "rule \(before) changed to \(after)")
            case (let before?, let after?) where before != after: note(new.name, "message of the rule \(after) changed")
            case (let before?, nil): note(new.name, "rule \(before) removed")
            case (nil, let after?): note(new.name, "rule \(after) added; values that are stored stay")
            default: break
            }
        }
        let others = { (field: FieldSchema) in field.directives.filter { !$0.utf8.starts(with: "@validate(".utf8) } }
        if changes.count == count || others(old) != others(new) { note(new.name, "directives changed") }
    }
}

extension FieldSchema {
    /// Whether a record needs no value for this field, because the field is optional or has a default.
    package var mayBeLeftOut: Bool { !isRequired || defaultValue != nil }
}

extension FieldType {
    /// Whether every value of this type is also a value of `next`. The types may differ only in whether list elements are
    /// required.
    package func isRelaxed(to next: FieldType) -> Bool {
        switch (self, next) {
        case (.list(let old, let wasRequired), .list(let new, let isRequired)):
            (wasRequired || !isRequired) && old.isRelaxed(to: new)
        default: self == next
        }
    }
}
