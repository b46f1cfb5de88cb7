/// A relation of a value: the related records if they were loaded, or the store from which to load them.
///
/// Generated models have one for each relation. It does not count when values are compared: any two are equal.
public struct LazyRelation<Target: Model>: Sendable {
    private let state: State

    private enum State: Sendable {
        case none
        case store(StoreHandle)
        // A reference, because models may contain each other in a circle.
        case loaded(ChainLink<Loaded>)
    }

    /// Related records, and the store from which they were read, if any. The records may have loaded relations themselves.
    private struct Loaded: Sendable {
        let records: [Target]
        let store: StoreHandle?
    }

    /// A relation that is not loaded and belongs to no store.
    public init() { state = .none }

    /// A relation to one record that is `loaded`, or to no record.
    public init(_ loaded: Target?) { self.init(loaded: loaded.map { [$0] } ?? [], from: nil) }

    /// A relation to the records `loaded`.
    public init(_ loaded: [Target]) { self.init(loaded: loaded, from: nil) }

    /// A relation of the record that `row` decodes. Its records are not loaded yet.
    public init(from row: borrowing RowDecoder) { self.init(store: row.source as? StoreHandle) }

    init(store: StoreHandle?) { state = store.map { .store($0) } ?? .none }

    init(loaded: [Target], from store: StoreHandle?) {
        state = .loaded(ChainLink(Loaded(records: loaded, store: store)))
    }

    /// The related record, or `nil` if `owner` refers to no record or to a record that does not exist (yet).
    ///
    /// A record that was loaded or set before is returned without reading, unless the reference of a value from a store has
    /// changed since then.
    ///
    /// - Throws: ``DataStoreError``: `notFound` if the value belongs to no store and nothing was loaded; `closed`,
    ///   `projectionUnavailable`.
    public func one<Owner>(of owner: Owner, _ relation: Relation<Owner, Target>) async throws -> Target? {
        switch state {
        case .loaded(let link):
            let loaded = link.value
            guard let store = loaded.store else { return loaded.records.first }
            if let record = loaded.records.first, try store.layout.refers(owner, relation, to: record) { return record }
            return try store.read { try $0.one(relation, of: owner) }
        case .store(let store): return try store.read { try $0.one(relation, of: owner) }
        case .none: throw Self.belongsToNoStore(relation)
        }
    }

    /// The related record, which must exist.
    ///
    /// - Throws: ``DataStoreError`` with code `notFound` if it does not exist; and the errors of ``one(of:_:)``.
    public func required<Owner>(of owner: Owner, _ relation: Relation<Owner, Target>) async throws -> Target {
        if let record = try await one(of: owner, relation) { return record }
        var error = DataStoreError(
            .notFound, "The record that \(Owner.schema.name).\(relation.relationName) refers to is not there.",
            model: Owner.schema.name,
            recovery: "It may still arrive by sync. Until then `store.fetch(relation.of(value))` is empty.")
        error.field = relation.relationName
        throw error
    }

    /// The related records. They are read only when they are requested.
    public func many<Owner>(of owner: Owner, _ relation: Relation<Owner, Target>) -> RelatedRecords<Target> {
        switch state {
        case .loaded(let link): RelatedRecords(loaded: link.value.records, from: link.value.store, owner, relation)
        case .store(let store): RelatedRecords(from: store, owner, relation)
        case .none: RelatedRecords(failing: Self.belongsToNoStore(relation))
        }
    }

    private static func belongsToNoStore<Owner>(_ relation: Relation<Owner, Target>) -> DataStoreError {
        var error = DataStoreError(
            .notFound, "The value was not read from a store, and \(relation.relationName) was not set.",
            model: Owner.schema.name, recovery: "Ask the store: store.fetch(relation.of(value)).")
        error.field = relation.relationName
        return error
    }
}

extension LazyRelation: Hashable {
    /// Always true.
    public static func == (left: Self, right: Self) -> Bool { true }

    /// Hashes nothing, because any two are equal.
    public func hash(into hasher: inout Hasher) {}
}
