internal import TidelogCore

extension Permission {
    /// The permission as a predicate on the stored records of `model`.
    func predicate(of model: ModelSchema) -> QueryPredicate {
        switch self {
        case .nobody: .or([])
        case .everything: .all
        case .records(let tests): .or(tests.flatMap { $0.alternatives(of: model) })
        }
    }
}

extension RecordTest {
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
