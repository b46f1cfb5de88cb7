/// A change of one record, as an element of ``DataStoreCategory/observe(_:)`` and as the data of two events of the hub:
/// `syncReceived`, and `conditionalSaveFailed`.
public struct MutationEvent: Sendable {
    /// The kinds of changes.
    public enum MutationType: String, Sendable, Hashable {
        /// The record is new.
        case create
        /// The record existed before.
        case update
        /// The record was deleted.
        case delete
    }

    /// The name of the record's model.
    public let modelName: String
    /// The record's id: the text of its key. If the key has several fields, their values in quotation marks, separated by `#`.
    public let modelId: String
    /// The kind of the change, as the raw value of a ``MutationType``.
    public let mutationType: String
    /// The server's version of the record; `nil` if the server has not answered yet.
    public let version: Int?

    private let model: (any Model)?

    init<M: Model>(_ change: Change<M>, _ store: DataStore) async throws {
        let name = M.schema.name
        modelName = name
        modelId = change.recordID.serialized
        let type: MutationType = change.value == nil ? .delete : change.isNew ? .create : .update
        mutationType = type.rawValue
        version = try await store.read { try $0.serverState(name, id: change.recordID)?.version.map { Int($0) } }
        if let value = change.value {
            model = value
        } else {
            let former = try await store.history(of: name, id: change.recordID).events
                .last { $0.sequence < change.sequence && $0.record != nil }?.record
            model = try former.map { try M($0, in: store) }
        }
    }

    /// The change that an event of the engine is about. A local change is in the state in which the app made it, even if the
    /// server's record has replaced it since.
    init(_ change: TidelogSync.OutboxMutationEvent, _ models: OpenedStore.RegisteredModels) async {
        let element = change.element
        modelName = change.modelName
        modelId = element.id.serialized
        version = element.version.map { Int($0) }
        let events = (try? await models.store.history(of: modelName, id: element.id).events) ?? []
        let own = events.lastIndex { event in
            if let sequence = change.sequence { return event.sequence == sequence }
            return event.origin == .remote && event.serverState?.version == element.version
        }
        let former = events[..<(own ?? events.endIndex)].last { $0.changesRow }?.record
        let record = change.sequence == nil ? element.model : own.flatMap { events[$0].record }
        let type: MutationType = record == nil ? .delete : former == nil ? .create : .update
        mutationType = type.rawValue
        model = (record ?? former).flatMap { try? models.value(of: $0) }
    }

    /// The record. For a deleted record, this is its state before the deletion.
    ///
    /// - Throws: ``DataStoreError`` with the code `notFound` if the record was deleted and the log does not contain its earlier
    ///   state any more.
    public func decodeModel() throws -> any Model {
        guard let model else {
            throw DataStoreError(
                .notFound, "The record \(modelId) of \(modelName) is gone, and the log no longer has it.",
                model: modelName, recovery: "Use modelId.")
        }
        return model
    }

    /// The record as a value of `modelType`.
    ///
    /// - Throws: ``DataStoreError`` with the code `notFound`, as ``decodeModel()`` does, or `invalidValue` for a record of
    ///   another model.
    public func decodeModel<M: Model>(as modelType: M.Type) throws -> M {
        guard let model = try decodeModel() as? M else {
            throw DataStoreError(
                .invalidValue, "A record of \(modelName) is no \(M.schema.name).", model: modelName,
                recovery: "Decode it as a \(modelName).")
        }
        return model
    }
}

extension RecordID {
    /// The id in the form that Amplify writes.
    var serialized: String {
        let texts = components.map(\.text)
        return texts.count == 1 ? texts[0] : texts.map { "\"\($0)\"" }.joined(separator: "#")
    }
}

extension FieldValue {
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        case .embedded, .list: ""
        }
    }
}
