import Tidelog

@testable import TidelogServer

extension VersionedStore {
    /// Changes one record. `decide` gets the stored record.
    func change(
        _ model: String, _ id: RecordID, name: StoredChange.Name?,
        _ decide: @escaping @Sendable (Record?) throws -> StoredChange.Decision
    ) async throws -> StoredChange.Outcome {
        try await change([RequestedChange(model, id, name: name, decide)])[0].get()
    }
}
