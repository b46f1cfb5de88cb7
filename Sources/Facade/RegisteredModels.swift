/// The Swift types of a store's models, by name.
struct RegisteredModels: Sendable {
    let store: DataStore
    private let types: [String: any Model.Type]

    init(store: DataStore, _ registration: any AmplifyModelRegistration) {
        self.store = store
        types = Dictionary(
            registration.models.map { ($0.schema.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The Swift value with the fields of `record`.
    ///
    /// - Throws: ``DataStoreError`` with the code `unknownModel`, or the errors of ``DataStore/value(_:from:)``.
    func value(of record: Record) throws -> any Model {
        guard let type = types[record.model] else {
            throw DataStoreError(
                .unknownModel, "No model called \(record.model) is registered.", model: record.model,
                recovery: "Register the models of the schema that the store has.")
        }
        return try store.value(type, from: record)
    }

    /// The fields of `value`.
    func record(of value: some Model) throws -> Record { try store.record(of: value) }
}
