/// The changes that take a store from its schema to the declared schema.
struct MigrationPlan {
    /// The schema that the store has after the migration.
    let next: StoredSchema
    /// The models whose records are rewritten, in ascending order of their numbers.
    let transformations: [ModelTransformation]

    /// The plan from `base` to the schema that the code declares.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidSchema` that names every change that loses data and is not covered by a
    ///   migration.
    init(from base: StoredSchema, to declared: Schema, _ migrations: [SchemaMigration]) throws {
        try Self.checkNames(migrations)
        let taken = Set(base.migrations)
        let untaken = migrations.filter { !taken.contains($0.name) }
        var renamed = base
        let steps = Self.rename(&renamed, untaken)
        let difference = SchemaDifference(from: renamed.declared, to: declared)
        let lossy = Set(difference.changes.filter { !$0.isLossless })
        var transformed = Set<String>()
        var uncovered: [SchemaChange] = []
        for change in difference.changes where lossy.contains(change) {
            let models = renamed.declared.models.map(\.name).filter { difference.changes(ofModel: $0).contains(change) }
            // A type that no model contains is in no row.
            if models.isEmpty { continue }
            let isCovered =
                !Self.concernsKey(change, renamed.declared)
                && models.allSatisfy { steps[renamed.modelNumbers[$0] ?? 0]?.transforms ?? false }
            if isCovered { transformed.formUnion(models) } else { uncovered.append(change) }
        }
        guard uncovered.isEmpty else { throw Self.refusal(uncovered) }

        var leavingOut: [String: Set<String>] = [:]
        for (type, field) in Self.retired(from: renamed.declared, to: declared) {
            renamed.retire(field: field, of: type)
            leavingOut[type, default: []].insert(field)
        }
        let merged = declared.retaining(renamed.declared, leavingOut: leavingOut)
        try merged.validateForm()
        var next = renamed
        if merged != base.declared || renamed.modelNumbers != base.modelNumbers {
            next = renamed.adopting(merged)
        }
        let names = migrations.map(\.name).filter { !taken.contains($0) }
        if next.version == base.version, !names.isEmpty { next.version += 1 }
        next.migrations += names
        self.next = next
        transformations = transformed.compactMap { model in
            renamed.modelNumbers[model].map { ModelTransformation(model: $0, steps: steps[$0] ?? []) }
        }
        .sorted { $0.model < $1.model }
    }

    /// Applies the renamings that apply to `schema`. Returns the steps for the records of each model, in order, by its number.
    fileprivate static func rename(
        _ schema: inout StoredSchema, _ migrations: [SchemaMigration]
    ) -> [UInt32: [ModelTransformation.Step]] {
        var steps: [UInt32: [ModelTransformation.Step]] = [:]
        for migration in migrations {
            switch migration.step {
            case .renameModel(let old, let new, let replacesUnused):
                if replacesUnused, schema.declared.model(named: old) != nil, schema.declared.model(named: new) != nil {
                    schema.retire(model: new)
                }
                guard schema.declared.model(named: old) != nil, schema.modelNumbers[new] == nil,
                    schema.fieldNumbers[new] == nil, let number = schema.modelNumbers[old]
                else { continue }
                schema.rename(model: old, to: new)
                steps[number, default: []].append(.renameModel(new))
            case .renameField(let old, let model, let new, let replacesUnused):
                if replacesUnused { Self.retire(new, of: model, before: old, &schema) }
                guard let fields = schema.declared.model(named: model)?.fields,
                    fields.contains(where: { $0.name == old }),
                    !fields.contains(where: { $0.name == new }), let number = schema.modelNumbers[model],
                    schema.fieldNumbers[model]?[new] == nil
                else { continue }
                schema.rename(field: old, of: model, to: new)
                steps[number, default: []].append(.renameField(old, to: new))
            case .transform(let model, let body):
                guard schema.declared.model(named: model) != nil, let number = schema.modelNumbers[model] else {
                    continue
                }
                steps[number, default: []].append(.transform(body))
            }
        }
        return steps
    }

    /// Retires the field `name` of `model`, if there is one and the field `old` exists too.
    private static func retire(_ name: String, of model: String, before old: String, _ schema: inout StoredSchema) {
        for index in schema.declared.models.indices where schema.declared.models[index].name == model {
            guard schema.declared.models[index].field(named: old) != nil else { return }
            schema.declared.models[index].fields.removeAll { $0.name == name }
            schema.retire(field: name, of: model)
        }
    }

    /// Whether `change` concerns a primary key. Migrations cannot change the fields that identify records.
    private static func concernsKey(_ change: SchemaChange, _ schema: Schema) -> Bool {
        guard let model = change.type.flatMap(schema.model) else { return false }
        return change.member.map(model.primaryKey.contains) ?? true
    }

    /// The fields, by type, whose stored values can no longer be read: fields with a new type, and removed required fields.
    private static func retired(from old: Schema, to new: Schema) -> [(type: String, field: String)] {
        var retired: [(type: String, field: String)] = []
        let types = old.models.map { ($0.name, $0.fields) } + old.embeddedTypes.map { ($0.name, $0.fields) }
        for (type, fields) in types {
            guard
                let next = new.model(named: type)?.fields ?? new.embeddedTypes.first(where: { $0.name == type })?.fields
            else { continue }
            for field in fields {
                let isKept =
                    next.first { $0.name == field.name }.map { field.type.isRelaxed(to: $0.type) } ?? field.mayBeLeftOut
                if !isKept { retired.append((type, field.name)) }
            }
        }
        return retired
    }

    private static func checkNames(_ migrations: [SchemaMigration]) throws {
        var names = Set<String>()
        for migration in migrations where !names.insert(migration.name).inserted {
            throw DataStoreError(
                .invalidSchema, "Two migrations are called \(migration.name).",
                recovery: "Give each a name of its own, and never change it.")
        }
    }

    private static func refusal(_ changes: [SchemaChange]) -> DataStoreError {
        DataStoreError(
            .invalidSchema,
            "The schema cannot replace the store's: \(changes.map(\.description).joined(separator: "; ")).",
            recovery: "Give a SchemaMigration for each of these, or keep the stored fields.")
    }
}

extension StoredSchema {
    /// The schema after the renamings of `migrations`. Renamings that do not apply are left out.
    package func renamed(by migrations: [SchemaMigration]) -> StoredSchema {
        var renamed = self
        _ = MigrationPlan.rename(&renamed, migrations)
        return renamed
    }
}

extension [ModelTransformation.Step] {
    fileprivate var transforms: Bool {
        contains { if case .transform = $0 { true } else { false } }
    }
}
