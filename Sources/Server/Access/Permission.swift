internal import TidelogCore

/// What rules allow one caller to do: nothing, all of it, or what is done with records that name the caller.
enum Permission: Sendable, Hashable {
    /// No record, whatever it holds.
    case nobody
    /// Every record.
    case everything
    /// The records that pass one of these tests.
    case records([RecordTest])

    /// Whether `record` may be used so; `nil` is a record that is not there, which names nobody.
    func holds(for record: Record?) -> Bool {
        switch self {
        case .nobody: false
        case .everything: true
        case .records(let tests): record.map { record in tests.contains { $0.holds(for: record) } } ?? false
        }
    }

    /// Whether it depends on what a record holds.
    var dependsOnRecord: Bool {
        if case .records = self { true } else { false }
    }

    /// What is allowed by this or by `other`.
    func or(_ other: Permission) -> Permission {
        switch (self, other) {
        case (.everything, _), (_, .everything): .everything
        case (.nobody, _): other
        case (_, .nobody): self
        case (.records(let left), .records(let right)): .records(left + right)
        }
    }
}

/// Whether a record names a caller in one of its fields.
struct RecordTest: Sendable, Hashable {
    /// As what the record names the caller.
    enum Role: Sendable, Hashable {
        /// As its only owner.
        case owner
        /// As one of its owners.
        case oneOfOwners
        /// As a member of a group.
        case member
    }

    /// The field with the names.
    let field: String
    /// As what the record names the caller.
    let role: Role
    /// What may stand there, in UTF-8: never empty, and no name is.
    let names: [[UInt8]]

    /// Whether one of the names stands in the record's field, alone or in a list. Texts are the same if their bytes are.
    func holds(for record: Record) -> Bool { holds(for: record[field]) }

    /// Whether `value` is one of the names or a list with one.
    func holds(for value: FieldValue?) -> Bool {
        switch value {
        case .string(let text)?: isNamed(text)
        case .list(let elements)?:
            elements.contains { element in
                if case .string(let text)? = element { isNamed(text) } else { false }
            }
        default: false
        }
    }

    private func isNamed(_ text: String) -> Bool { names.contains { text.utf8.elementsEqual($0) } }
}
