@_spi(Adapters) package import TidelogCore
internal import TidelogSuggestion

/// A predicate that a person wrote: its text and its parsed form.
package struct PredicateText: Sendable {
    /// The text as it was written, empty if there is none.
    package let text: String
    /// The predicate that the text stands for.
    package let predicate: QueryPredicate

    private static let all = PredicateText(text: "", predicate: .all)

    private init(text: String, predicate: QueryPredicate) {
        self.text = text
        self.predicate = predicate
    }

    /// Parses `text`. Without a text, the predicate holds for all records.
    ///
    /// - Throws: ``PredicateRefusal``, which names the line and the column.
    package init(_ text: String?) throws(PredicateRefusal) {
        guard let text else {
            self = .all
            return
        }
        self.text = text
        do {
            predicate = try QueryPredicate(parsing: text)
        } catch {
            throw PredicateRefusal(
                of: text, line: error.line, column: error.column, "expected \(error.expected)", recovery: error.advice,
                corrected: error.corrected)
        }
    }

    /// The predicate for `model`, with its numbers as the fields of the model take them. A failure names the place in the text.
    ///
    /// - Throws: ``PredicateRefusal``, and the errors of the schema.
    package func fitted(to model: ModelLayout, in schema: SchemaLayout) throws -> PredicateText {
        var places = PredicatePlaces(text)
        return PredicateText(
            text: text, predicate: try fitted(predicate, PredicateSubject(model: model, schema: schema), &places))
    }

    private func fitted(
        _ predicate: QueryPredicate, _ subject: PredicateSubject, _ places: inout PredicatePlaces
    ) throws -> QueryPredicate {
        switch predicate {
        case .all: return .all
        case .and(let members): return .and(try members.map { try fitted($0, subject, &places) })
        case .or(let members): return .or(try members.map { try fitted($0, subject, &places) })
        case .not(let member): return .not(try fitted(member, subject, &places))
        case .related(let name, let inner):
            let place = places.next(name, isInside: subject.origin != nil)
            return try locating(place) {
                guard let related = try subject.related(name) else {
                    let fitted = predicate.takingNumbers(of: subject.model.row)
                    _ = try RowPredicate(fitted, for: subject.model)
                    return fitted
                }
                return .related(name, try fitted(inner, related, &places))
            }
        case .field(let name, _):
            let place = places.next(name, isInside: subject.origin != nil)
            return try locating(place) {
                let fitted = predicate.takingNumbers(of: subject.model.row)
                _ = try RowPredicate(fitted, for: subject.model)
                return fitted
            }
        }
    }

    /// Calls `body`, and adds `place` to an error of the predicate.
    private func locating<Result>(_ place: (line: Int, column: Int), _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DataStoreError where error.code == .invalidPredicate {
            throw PredicateRefusal(
                of: text, line: place.line, column: place.column, error.message, model: error.model,
                recovery: error.recovery)
        }
    }

    /// A sentence for each text that is no case of an enum of `model`. The text may be misspelled, or another build of the app
    /// may declare it.
    package func unknownCases(of model: ModelLayout) -> [String] {
        Self.enumTexts(predicate, model).compactMap { field, text in
            guard let cases = field.cases, !cases.contains(text) else { return nil }
            let names = cases.sorted()
            return "The enum of \(model.name).\(field.name) has no case \"\(text)\""
                + "\(Suggestion.ending(for: text, among: names)) The cases are \(listed(names))."
        }
    }

    /// The texts that `predicate` compares the enums of `model` with.
    private static func enumTexts(_ predicate: QueryPredicate, _ model: ModelLayout) -> [(
        field: FieldLayout, text: String
    )] {
        switch predicate {
        case .all, .related: []
        case .and(let members), .or(let members): members.flatMap { enumTexts($0, model) }
        case .not(let member): enumTexts(member, model)
        case .field(let name, let comparison):
            switch (model.row.field(named: name), comparison) {
            case (let field?, .equal(.string(let text)?)), (let field?, .notEqual(.string(let text)?)),
                (let field?, .contains(.string(let text))), (let field?, .notContains(.string(let text))):
                [(field, text)]
            default: []
            }
        }
    }
}

/// The model that a part of a predicate is about.
private struct PredicateSubject {
    let model: ModelLayout
    let schema: SchemaLayout
    /// The model from which a relation leads to this one, and the relation's name; `nil` for the predicate's own model.
    var origin: (model: String, relation: String)?

    /// The model to which the relation `name` leads, or `nil` if `name` is a field with its values in the row, or no relation.
    ///
    /// - Throws: ``DataStoreError`` if a relation led to this model already.
    func related(_ name: String) throws -> PredicateSubject? {
        guard model.row.field(named: name) == nil,
            let association = model.schema.associations.first(where: { $0.name == name }),
            let target = schema.model(named: association.target)
        else { return nil }
        if let origin { throw DataStoreError.twoRelations(from: origin.model, [origin.relation, name]) }
        return PredicateSubject(model: target, schema: schema, origin: (model.name, name))
    }
}

extension Sort {
    /// The order that `text` describes: names of fields with commas between them, and `-` before a field that puts large values
    /// first. An empty text is the order of the keys.
    package init(text: String) {
        self.init(
            text.split(separator: ",").map { key in
                let isDescending = key.hasPrefix("-")
                return Sort.Key(String(isDescending ? key.dropFirst() : key), isDescending: isDescending)
            })
    }
}
