internal import Tidelog
internal import TidelogRecordText
internal import TidelogServer

/// The change from the schema of a server's store to another one, compared with the records that the store holds.
///
/// An app's store takes any removal, because other builds of the app may still declare the removed type or field.
/// A server is alone with its store: it could not give clients a record whose values its API no longer has.
struct ServedSchemaChange {
    private let stored: Schema
    private let next: Schema
    private let difference: SchemaDifference
    /// How many records use the removed part, by the change and the name of the model.
    private let uses: [SchemaChange: [String: Int]]

    /// Compares `next` with the schema `stored` of the store and, if something is removed, with the store's records.
    ///
    /// - Parameter renamings: The renamings that were already applied to `stored`, and that the store has yet to do.
    init(
        of access: StoreAccess, from stored: Schema, to next: Schema, after renamings: Renamings.Plan? = nil
    ) async throws {
        self.stored = stored
        self.next = next
        difference = SchemaDifference(from: stored, to: next)
        let removals = difference.changes.filter(\.isRemoval)
        guard !removals.isEmpty else {
            uses = [:]
            return
        }
        uses = try await access.openForReading().closing { store in
            try await store.read { snapshot in
                try RemovedUses(of: removals, from: stored, to: next, in: snapshot, after: renamings).counts
            }
        }
    }

    /// Compares `next` with the schema `stored` and, if something is removed, with `records`, which have the schema `stored`.
    init(from stored: Schema, to next: Schema, in records: some RecordSource) throws {
        self.stored = stored
        self.next = next
        difference = SchemaDifference(from: stored, to: next)
        let removals = difference.changes.filter(\.isRemoval)
        uses =
            removals.isEmpty
            ? [:] : try RemovedUses(of: removals, from: stored, to: next, in: records, after: nil).counts
    }

    /// The failure of a start with a refused schema.
    var refusal: CommandFailure {
        let questions = suspectedRenamings.map { "\($0.question) Then start with --rename \($0). " }.joined()
        return CommandFailure(
            .failed, "invalidSchema", "The server refuses the schema: \(refusals.joined(separator: "; ")).",
            recovery: questions
                + "Keep in the schema what records use, or change these records first. Nothing was changed.")
    }

    /// The changes that look like renames.
    var suspectedRenamings: [SuspectedRenaming] { difference.suspectedRenamings }

    /// The changes that the server refuses, one clause each.
    var refusals: [String] { difference.changes.filter(isRefused).map(text) }

    /// The models of the new schema in its order and then the removed ones, with their changes. The server's own models
    /// are left out.
    var models: [(name: String, status: SchemaDifference.Status, changes: [(text: String, isRefused: Bool)])] {
        let removed = stored.models.filter { next.model(named: $0.name) == nil }
        return (next.models + removed).map(\.name).filter { !ServerModels.names.contains($0) }.map { model in
            let changes = difference.changes(ofModel: model).map { change in
                (text: text(change), isRefused: isRefused(change, model))
            }
            let status = difference.status(ofModel: model)
            if changes.contains(where: \.isRefused) { return (model, .refused, changes) }
            return (model, status == .refused ? .update : status, changes)
        }
    }

    /// The schema to open the store with. A required field that is removed and that no record uses stays in it as an
    /// optional one: new records lack it.
    var openingSchema: Schema {
        let unused = difference.changes.filter { $0.isRemoval && $0.member != nil && !isRefused($0) }
        guard unused.contains(where: { !$0.isLossless || isRequired($0) }) else { return next }
        var schema = next.retaining(stored)
        for change in unused {
            for model in schema.models.indices where schema.models[model].name == change.type {
                Self.relax(&schema.models[model].fields, change)
            }
            for type in schema.embeddedTypes.indices where schema.embeddedTypes[type].name == change.type {
                Self.relax(&schema.embeddedTypes[type].fields, change)
            }
        }
        return schema
    }

    private static func relax(_ fields: inout [FieldSchema], _ change: SchemaChange) {
        for field in fields.indices where fields[field].name == change.member { fields[field].isRequired = false }
    }

    private func isRequired(_ change: SchemaChange) -> Bool {
        let fields =
            stored.models.first { $0.name == change.type }?.fields
            ?? stored.embeddedTypes.first { $0.name == change.type }?.fields
        return fields?.first { $0.name == change.member }?.isRequired == true
    }

    /// Whether the server refuses the change; for one model, as far as that model is concerned.
    private func isRefused(_ change: SchemaChange, _ model: String) -> Bool {
        change.isRemoval ? uses[change]?[model] != nil : !change.isLossless
    }

    private func isRefused(_ change: SchemaChange) -> Bool {
        if change.isRemoval { return uses[change] != nil }
        // A type that no model holds is in no record.
        return !change.isLossless
            && stored.models.contains { difference.changes(ofModel: $0.name).contains(change) }
    }

    /// The change, with the number of records that use the removed part:
    /// `Level.mid: case removed, but 2 records of Note use it`.
    private func text(_ change: SchemaChange) -> String {
        let models = uses[change, default: [:]].sorted { $0.key < $1.key }
        guard !models.isEmpty else { return "\(change)" }
        let counts = models.map { "\(counted($0.value, "record")) of \($0.key)" }
        let isOne = models.count == 1 && models[0].value == 1
        return "\(change), but \(counts.joined(separator: " and ")) \(isOne ? "uses" : "use") it"
    }
}
