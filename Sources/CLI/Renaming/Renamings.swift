internal import Tidelog
@_spi(Adapters) internal import TidelogCore
internal import TidelogRecordText
internal import TidelogServer

/// The renamings that the arguments name with `--rename`: of a model (`Hiker=Walker`) or of a field
/// (`Hiker.name=Hiker.fullName`).
struct Renamings: Sendable {
    private struct Renaming: Sendable {
        /// The renaming as it was given.
        let text: String
        let model: String
        /// The field, `nil` if the model is renamed.
        let field: String?
        let newName: String
    }

    static let option = Option(
        name: "rename", value: "OLD=NEW",
        help: "keep the records of a renamed model (A=B) or field (A.name=A.title)",
        isRepeatable: true)

    private let renamings: [Renaming]
    var isEmpty: Bool { renamings.isEmpty }

    init(_ arguments: Arguments) throws { renamings = try arguments.texts("rename").map(Self.renaming) }

    private static func renaming(_ text: String) throws -> Renaming {
        let sides = text.split(separator: "=", omittingEmptySubsequences: false).map { side in
            side.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        }
        guard sides.count == 2, sides[0].count == sides[1].count, sides[0].count <= 2,
            sides.joined().allSatisfy({ !$0.isEmpty })
        else {
            throw UsageError("--rename takes Hiker=Walker for a model, or Hiker.name=Hiker.fullName for a field.")
        }
        let old = sides[0]
        let new = sides[1]
        guard old.count == 2 else { return Renaming(text: text, model: old[0], field: nil, newName: new[0]) }
        guard old[0] == new[0] else {
            throw UsageError(
                "--rename \(text) names two models. Rename the model first: "
                    + "--rename \(old[0])=\(new[0]) --rename \(new[0]).\(old[1])=\(new[0]).\(new[1]).")
        }
        return Renaming(text: text, model: old[0], field: old[1], newName: new[1])
    }

    /// The steps of these renamings in a store.
    struct Plan: Sendable {
        /// The schema of the store before the renamings.
        let before: StoredSchema
        /// The schema after the renamings.
        private(set) var after: StoredSchema
        private(set) var migrations: [SchemaMigration] = []
        /// The renamings that are due, as they were given.
        private(set) var due: [String] = []
        /// The renamings that the store did earlier.
        private(set) var done: [String] = []
        /// The names of the renamed models, and of the fields that are renamed, after all renamings.
        private(set) var newNames: [(model: String, field: String?)] = []

        fileprivate init(of stored: StoredSchema) {
            before = stored
            after = stored
        }

        fileprivate mutating func append(_ migration: SchemaMigration, _ text: String, model: String, field: String?) {
            migrations.append(migration)
            due.append(text)
            after = after.renamed(by: [migration])
            newNames.append((model, field))
        }

        fileprivate mutating func noteDone(_ text: String) { done.append(text) }

        /// The name that the model called `name` after the renamings has in the store.
        func storedName(ofModel name: String) -> String {
            after.modelNumbers[name].flatMap { number in before.modelNumbers.first { $0.value == number }?.key } ?? name
        }

        /// The name that the field `name` of the model `model` has in the store. Both names are those after the renamings.
        func storedName(ofField name: String, in model: String) -> String {
            guard let number = after.fieldNumbers[model]?[name] else { return name }
            return before.fieldNumbers[storedName(ofModel: model)]?.first { $0.value == number }?.key ?? name
        }
    }

    /// The steps in the store at `access`, which has the schema `stored`.
    ///
    /// - Throws: ``CommandFailure`` if a name does not exist, or if a new name is in use.
    func plan(for stored: StoredSchema, in access: StoreAccess) async throws -> Plan {
        var plan = Plan(of: stored)
        for renaming in renamings {
            if let field = renaming.field {
                try await add(renaming, field: field, to: &plan, access)
            } else {
                try await add(renaming, to: &plan, access)
            }
        }
        return plan
    }

    private func add(_ renaming: Renaming, to plan: inout Plan, _ access: StoreAccess) async throws {
        let old = renaming.model
        let new = renaming.newName
        let schema = plan.after.declared
        let name = "rename \(old) to \(new)"
        guard schema.model(named: old) != nil, !ServerModels.names.contains(old) else {
            if schema.model(named: new) != nil, plan.after.names(name) { return plan.noteDone(renaming.text) }
            let isThere = schema.model(named: new) != nil ? ", and has a model \(new) already" : ""
            throw Self.unknown(
                "The store has no model \(old)\(isThere).", old,
                schema.models.map(\.name).filter { !ServerModels.names.contains($0) })
        }
        try Self.check(new, schema)
        if let taken = schema.model(named: new) {
            let count = try await Self.count(taken.name, .all, in: access)
            guard count == 0, let model = schema.model(named: old), taken.resembles(model) else {
                throw Self.taken(
                    "The store has both models, \(old) and \(new), and \(counted(count, "record")) of \(new)", access)
            }
        }
        plan.append(
            .rename(model: old, to: new, named: plan.after.unusedName(name), replacesUnused: true), renaming.text,
            model: new, field: nil)
    }

    private func add(_ renaming: Renaming, field: String, to plan: inout Plan, _ access: StoreAccess) async throws {
        let old = "\(renaming.model).\(field)"
        let new = renaming.newName
        guard let model = plan.after.declared.model(named: renaming.model),
            !ServerModels.names.contains(renaming.model)
        else {
            throw Self.unknown(
                "The store has no model \(renaming.model).", renaming.model, plan.after.declared.models.map(\.name))
        }
        let name = "rename \(old) to \(new)"
        guard model.field(named: field) != nil, !Metadata.names.contains(field) else {
            if model.field(named: new) != nil, plan.after.names(name) { return plan.noteDone(renaming.text) }
            let isThere = model.field(named: new) != nil ? ", and has a field \(new) already" : ""
            throw Self.unknown(
                "The model \(model.name) has no field \(field)\(isThere).", field, model.fields.map(\.name))
        }
        if model.field(named: new) != nil {
            let count = try await Self.count(
                plan.storedName(ofModel: model.name), .field(new, .notEqual(nil)), in: access)
            guard count == 0, !model.primaryKey.contains(new) else {
                throw Self.taken(
                    "\(model.name) has both fields, \(field) and \(new), and \(counted(count, "record")) with \(new)",
                    access)
            }
        }
        plan.append(
            .rename(field: field, of: model.name, to: new, named: plan.after.unusedName(name), replacesUnused: true),
            renaming.text, model: model.name, field: new)
    }

    /// Checks that `name` may be the name of a model.
    private static func check(_ name: String, _ schema: Schema) throws {
        let types = schema.embeddedTypes.map(\.name) + schema.enums.map(\.name)
        guard !types.contains(name) else {
            throw CommandFailure(
                .usage, "invalidSchema", "\(name) is the name of another type of the store.",
                recovery: "Give the model another name. Nothing was changed.")
        }
    }

    private static func count(
        _ model: String, _ predicate: QueryPredicate, in access: StoreAccess
    ) async throws -> Int {
        try await access.openForReading().closing { store in
            try await store.read { try $0.count(Record.all(of: model).where(predicate)) }
        }
    }

    private static func unknown(_ message: String, _ word: String, _ names: [String]) -> CommandFailure {
        let guess = UsageError("", word: word, candidates: names).suggestion.map { "\($0) " } ?? ""
        return CommandFailure(.usage, "invalidSchema", message, recovery: "\(guess)Nothing was changed.")
    }

    private static func taken(_ message: String, _ access: StoreAccess) -> CommandFailure {
        CommandFailure(
            .failed, "alreadyExists", "\(message).",
            recovery: "A new name must be unused. Copy the records with `tidelog export` and `tidelog import`, or "
                + "delete the records under the new name first. Nothing was changed.")
    }
}

extension ModelSchema {
    /// Whether both models have the same key and another field in common. A model without records is only replaced by a model
    /// like it, because a wrong name could otherwise replace any model that happens to have no records.
    fileprivate func resembles(_ other: ModelSchema) -> Bool {
        primaryKey == other.primaryKey
            && fields.contains { field in
                !field.isReadOnly && !primaryKey.contains(field.name) && !Metadata.names.contains(field.name)
                    && other.field(named: field.name)?.type == field.type
            }
    }
}

extension StoredSchema {
    /// Whether the store had a migration called `name`.
    fileprivate func names(_ name: String) -> Bool { migrations.contains(name) }

    /// `name`, or if an earlier migration has it, `name` with a number.
    fileprivate func unusedName(_ name: String) -> String {
        guard migrations.contains(name) else { return name }
        var number = 2
        while migrations.contains("\(name) (\(number))") { number += 1 }
        return "\(name) (\(number))"
    }
}

extension SuspectedRenaming {
    /// The question to the user.
    var question: String {
        field.map { "Was \(model).\($0) renamed to \(newName)?" } ?? "Was \(model) renamed to \(newName)?"
    }
}

extension [SuspectedRenaming] {
    /// Asks about each renaming, and shows the migration to write.
    func ask(_ console: Console) {
        for renaming in self {
            console.note(
                """
                ? \(renaming.question) Its data stays under the old name without a migration:
                    in an app:     \(renaming.migration)
                    for a store:   tidelog migrate --store DIR --rename \(renaming)
                    for a server:  tidelog serve SCHEMA --store DIR --rename \(renaming)
                """)
        }
    }
}

extension SchemaDifference {
    /// The new name of the model or field that `change` removes, if it may have been renamed.
    func suspectedName(after change: SchemaChange) -> String? {
        guard change.isRemoval else { return nil }
        return suspectedRenamings.first { $0.model == change.type && $0.field == change.member }?.newName
    }
}
