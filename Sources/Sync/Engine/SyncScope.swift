@_spi(Adapters) internal import TidelogCore

/// The sync expressions of one start of the engine.
struct SyncScope: Sendable {
    /// The expressions as texts, by model.
    private(set) var texts: [String: String] = [:]
    /// The expressions as inputs of the API, by model. An expression that the API cannot express is missing.
    private(set) var filters: [String: [UInt8]] = [:]
    private var predicates: [String: RowPredicate] = [:]
    private let layout: SchemaLayout

    /// - Throws: ``DataStoreError`` with the code `invalidPredicate` if an expression does not fit its model.
    init(_ expressions: [String: SyncExpression], _ layout: SchemaLayout) throws {
        self.layout = layout
        for (name, expression) in expressions {
            let predicate = expression.predicate()
            guard predicate != .all else { continue }
            let model = try layout.required(name)
            predicates[name] = try RowPredicate(predicate, for: model)
            texts[name] = predicate.text
            // The engine applies expressions without such an input to the records when they arrive.
            filters[name] = try? FilterInput(.list, model.schema).json(predicate)
        }
    }

    /// Whether no model has an expression.
    var isEmpty: Bool { predicates.isEmpty }

    /// Whether the sync expression of its model includes a record.
    func includes(_ record: Record) -> Bool {
        guard let predicate = predicates[record.model], let model = layout.model(named: record.model) else {
            return true
        }
        // A record that does not fit the model is refused when it is appended.
        let isIncluded = try? EncodedRow(record, layout: model).withRow { try predicate.evaluate($1) }
        return isIncluded ?? true
    }
}
