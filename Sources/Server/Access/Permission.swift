internal import TidelogCore

/// The permission that rules give one caller: for no record, for every record, or for the records that name the caller.
enum Permission: Sendable, Hashable {
    /// No record.
    case nobody
    /// Every record.
    case everything
    /// The records that pass at least one of these tests.
    case records([RecordTest])

    /// Whether the permission includes `record`. `nil` means that there is no such record; then no test passes.
    func holds(for record: Record?) -> Bool {
        switch self {
        case .nobody: false
        case .everything: true
        case .records(let tests): record.map { record in tests.contains { $0.holds(for: record) } } ?? false
        }
    }

    /// Whether the permission depends on the contents of a record.
    var dependsOnRecord: Bool {
        if case .records = self { true } else { false }
    }

    /// The permission that allows what this one or `other` allows.
    func or(_ other: Permission) -> Permission {
        switch (self, other) {
        case (.everything, _), (_, .everything): .everything
        case (.nobody, _): other
        case (_, .nobody): self
        case (.records(let left), .records(let right)): .records(left + right)
        }
    }

    /// The reason why the access rules refuse an operation.
    enum Refusal: Error, Sendable, Hashable {
        /// The caller may not do the operation at all. The refusal does not reveal whether the record exists.
        case operation
        /// The caller may not use these fields in this operation.
        case fields([String])
    }

    /// A test whether one field of a record names a caller.
    struct RecordTest: Sendable, Hashable {
        /// The role in which a record names the caller.
        enum Role: Sendable, Hashable {
            /// The only owner.
            case owner
            /// One of several owners.
            case oneOfOwners
            /// A member of a group.
            case member
        }

        /// The field that holds the names.
        let field: String
        /// The role of a caller that the field names.
        let role: Role
        /// The names that count, in UTF-8. There is at least one, and none is empty.
        let names: [[UInt8]]

        /// Whether one of the names is in the record's field, alone or in a list. Names are compared byte by byte.
        func holds(for record: Record) -> Bool { holds(for: record[field]) }

        /// Whether `value` is one of the names, or a list that contains one.
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

    /// The permission as a predicate on the stored records of `model`.
    func predicate(of model: ModelSchema) -> QueryPredicate {
        switch self {
        case .nobody: .or([])
        case .everything: .all
        case .records(let tests): .or(tests.flatMap { $0.alternatives(of: model) })
        }
    }
}

extension Permission.RecordTest {
    /// The predicates of which at least one holds for a record that passes the test.
    fileprivate func alternatives(of model: ModelSchema) -> [QueryPredicate] {
        let names = names.map { String(decoding: $0, as: UTF8.self) }
        switch model.field(named: field)?.type {
        case .list(let element, _)? where element.isText:
            return names.map { .field(field, .contains(.string($0))) }
        case let type? where type.isText: return names.map { .field(field, .equal(.string($0))) }
        default: return []
        }
    }
}
