internal import TidelogGraphQLExecution
internal import TidelogSynchronization

/// The changes that the root fields of a mutation ask for, in the order of the document.
final class DocumentChanges: Sendable {
    /// The fields that ask for changes, in order.
    private let fields: [SelectedField]
    /// The names of the changes, by their fields in the response. The store does not repeat a change that has a known name.
    let names: [String: String]
    /// The changes that were made, and whose fields were not completed yet, by their fields.
    private let made = Mutex<[ObjectIdentifier: Made]>([:])

    init(fields: [SelectedField] = [], names: [String: String] = [:]) {
        (self.fields, self.names) = (fields, names)
    }

    /// `first` and the fields after it.
    func fields(from first: SelectedField) -> ArraySlice<SelectedField> {
        guard let index = fields.firstIndex(where: { $0 === first }) else {
            preconditionFailure("a field that is executed belongs to the document")
        }
        return fields[index...]
    }

    func note(_ field: SelectedField, _ change: Made) {
        let earlier = made.withLock { $0.updateValue(change, forKey: ObjectIdentifier(field)) }
        assert(earlier == nil, "a change is made once")
    }

    /// Removes and returns the change of `field`; `nil` if it was not made yet.
    func take(_ field: SelectedField) -> Made? { made.withLock { $0.removeValue(forKey: ObjectIdentifier(field)) } }

    /// A change that was made, or the error for which it was not made.
    struct Made: Sendable {
        /// The change; an error if the request for it was refused.
        let change: Result<ChangeMaker.PreparedChange, any Error>
        let outcome: Result<StoredChange.Outcome, any Error>
    }
}
