package import TidelogCore

/// A change of one record that is requested from a store.
package struct RequestedChange: Sendable {
    /// The name of the model.
    package var model: String
    package var id: RecordID
    /// The name of this change. If a change with the same name was written before, and its name is younger than the age of
    /// tombstones, the change is not repeated.
    package var name: StoredChange.Name?
    /// The fields of the record that the mutation selected; `nil` if subscribers get all fields.
    package let selected: Set<String>?
    /// Decides about the record. It gets the record as it is in the transaction, so no other change can come between. If it
    /// throws, nothing is changed.
    package var decide: @Sendable (Record?) throws -> StoredChange.Decision

    package init(
        _ model: String, _ id: RecordID, name: StoredChange.Name? = nil, selected: Set<String>? = nil,
        _ decide: @escaping @Sendable (Record?) throws -> StoredChange.Decision
    ) {
        (self.model, self.id, self.name, self.selected, self.decide) = (model, id, name, selected, decide)
    }
}
