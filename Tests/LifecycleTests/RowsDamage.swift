import SeededNumbers
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

/// One error in the rows about a record of the sample model.
enum RowsDamage: Sendable {
    case forgottenRow(id: String)
    case forgottenTombstone(id: String)
    case forgottenState(id: String)
    /// The row names an earlier event: its number is smaller by `by`.
    case earlierRow(id: String, by: UInt64)
    /// The server state names an earlier event: its number is smaller by `by`.
    case earlierState(id: String, by: UInt64)
    /// A record that has a row loses it and gets a tombstone instead.
    case falseTombstone(id: String, by: UInt64)

    init(_ random: inout SeededGenerator) throws {
        let id = "r\(Int.random(in: 0..<12, using: &random))"
        let step = UInt64.random(in: 1...9, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: self = .forgottenRow(id: id)
        case 1: self = .forgottenTombstone(id: id)
        case 2: self = .forgottenState(id: id)
        case 3: self = .earlierRow(id: id, by: step)
        case 4: self = .earlierState(id: id, by: step)
        default: self = .falseTombstone(id: id, by: step)
        }
    }

    private var id: String {
        switch self {
        case .forgottenRow(let id), .forgottenTombstone(let id), .forgottenState(let id), .earlierRow(let id, _),
            .earlierState(let id, _), .falseTombstone(let id, _):
            id
        }
    }

    /// Changes the rows of `store` and leaves the log as it is.
    func apply(to store: DataStore) throws {
        let generation = try store.current()
        let model = try generation.layout.required("Item")
        try generation.rows.withTurn {
            let transaction = try generation.rows.current.adapter().begin()
            try model.withKey(of: RecordID(id)) { key in try apply(to: transaction, key, model) }
            try transaction.commit(checkpoint: generation.rows.checkpoint(at: generation.log.head))
        }
    }

    private func apply(
        to transaction: any AdapterTransaction, _ key: UnsafeRawBufferPointer, _ model: ModelLayout
    ) throws {
        switch self {
        case .forgottenRow: try put(nil, transaction, key, model)
        case .forgottenTombstone: try transaction.deleteTombstone(model.number, key)
        case .forgottenState: try transaction.deleteServerState(model.number, key)
        case .earlierRow(_, let step): try put(step, transaction, key, model)
        case .earlierState(_, let step):
            guard let entry = try transaction.serverStateEntry(model.number, key) else { return }
            let earlier = SequenceNumber(entry.sequence.value - min(step, entry.sequence.value - 1))
            try transaction.putServerState(ServerState.Entry(entry.state, earlier), model.number, key)
        case .falseTombstone(_, let step):
            guard let row = try transaction.get(key, in: model)?.sequence else { return }
            try put(nil, transaction, key, model)
            try transaction.putTombstone(row.value - min(step - 1, row.value - 1), model.number, key)
        }
    }

    /// Replaces the row under `key` by one that names an earlier event. If `step` is `nil`, this method removes the row.
    private func put(
        _ step: UInt64?, _ transaction: any AdapterTransaction, _ key: UnsafeRawBufferPointer, _ model: ModelLayout
    ) throws {
        guard let row = try transaction.get(key, in: model) else { return }
        let sequence = SequenceNumber(row.sequence.value - min(step ?? 0, row.sequence.value - 1))
        let bytes = Array(row.row.bytes)
        try bytes.withUnsafeBytes { bytes in
            let change = RowChange(
                key: key, sequence: sequence, row: step == nil ? nil : try RowView(bytes), existed: true,
                changedFields: .all)
            try withUnsafePointer(to: change) {
                try transaction.apply(UnsafeBufferPointer(start: $0, count: 1), to: model)
            }
        }
    }
}
