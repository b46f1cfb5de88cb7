/// Something that a new schema lacks, and something with the same content that it adds: perhaps a renaming without a migration.
///
/// A store cannot know. Without a migration the records, or the values of the field, stay under the old name.
public struct SuspectedRenaming: Sendable, Hashable, CustomStringConvertible {
    /// The model. For a renamed model, this is the name before the renaming.
    public let model: String
    /// The field before the renaming, or `nil` if the model may have been renamed.
    public let field: String?
    /// The new name of the field or model.
    public let newName: String

    /// The renaming as `tidelog migrate --rename` takes it: `Hiker=Walker`, `Hiker.name=Hiker.fullName`.
    public var description: String { field.map { "\(model).\($0)=\(model).\(newName)" } ?? "\(model)=\(newName)" }

    /// The migration in Swift: `.rename(model: "Hiker", to: "Walker")`.
    public var migration: String {
        field.map { ".rename(field: \"\($0)\", of: \"\(model)\", to: \"\(newName)\")" }
            ?? ".rename(model: \"\(model)\", to: \"\(newName)\")"
    }
}

extension SuspectedRenaming {
    /// The renamings that the change from `old` to `new` looks like.
    static func all(from old: Schema, to new: Schema) -> [SuspectedRenaming] {
        var found: [SuspectedRenaming] = []
        var added = new.models.filter { old.model(named: $0.name) == nil }
        for removed in old.models where new.model(named: removed.name) == nil {
            let exact = added.firstIndex { $0.contents == removed.contents }
            guard let index = exact ?? added.firstIndex(where: { $0.holds(removed) }) else { continue }
            found.append(SuspectedRenaming(model: removed.name, field: nil, newName: added.remove(at: index).name))
        }
        for model in new.models {
            guard let before = old.model(named: model.name) else { continue }
            var added = model.fields.filter { before.field(named: $0.name) == nil }
            for removed in before.fields where model.field(named: removed.name) == nil {
                guard let index = added.firstIndex(where: { $0.content == removed.content }) else { continue }
                found.append(
                    SuspectedRenaming(model: model.name, field: removed.name, newName: added.remove(at: index).name))
            }
        }
        return found
    }
}

/// The type of a field's values.
private struct FieldContent: Hashable {
    let type: FieldType
    let scalar: String?
    let isReadOnly: Bool
}

extension FieldSchema {
    fileprivate var content: FieldContent { FieldContent(type: type, scalar: scalar, isReadOnly: isReadOnly) }
}

extension ModelSchema {
    /// The types of all fields, by name.
    fileprivate var contents: [String: FieldContent] {
        Dictionary(fields.map { ($0.name, $0.content) }) { first, _ in first }
    }

    /// Whether this model has all fields of `other`, of which at least one is neither in its key nor the server's.
    fileprivate func holds(_ other: ModelSchema) -> Bool {
        let contents = contents
        return primaryKey == other.primaryKey
            && other.fields.allSatisfy { contents[$0.name] == $0.content }
            && other.fields.contains { !$0.isReadOnly && !other.primaryKey.contains($0.name) }
    }
}
