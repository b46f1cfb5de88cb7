@_spi(Adapters) internal import Tidelog
internal import TidelogSuggestion

/// A predicate from the arguments: its text and its parsed form.
struct PredicateArgument: Sendable {
    let text: String
    let predicate: QueryPredicate

    static let all = PredicateArgument(text: "", predicate: .all)

    private init(text: String, predicate: QueryPredicate) {
        self.text = text
        self.predicate = predicate
    }

    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    init(_ text: String?) throws {
        guard let text else {
            self = .all
            return
        }
        self.text = text
        do {
            predicate = try QueryPredicate(parsing: text)
        } catch {
            throw Self.failure(
                in: text, line: error.line, column: error.column, "expected \(error.expected)", model: nil,
                recovery: Self.advice(error, text))
        }
    }

    /// The predicate for `model`, with its numbers as the fields of the model take them. A failure names the place in the text.
    func fitted(to model: ModelLayout, in schema: SchemaLayout) throws -> PredicateArgument {
        var places = PredicatePlaces(text)
        return PredicateArgument(
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
            throw Self.failure(
                in: text, line: place.line, column: place.column, error.message, model: error.model,
                recovery: error.recovery)
        }
    }

    /// Warns of texts that are no case of an enum of `model`. They may be misspelled, or another build of the app may declare
    /// them.
    func warn(ofUnknownCasesOf model: ModelLayout, on console: Console) {
        for (field, text) in Self.enumTexts(predicate, model) {
            guard let cases = field.cases, !cases.contains(text) else { continue }
            let names = cases.sorted()
            console.warn(
                "The enum of \(model.name).\(field.name) has no case \"\(text)\""
                    + "\(Suggestion.ending(for: text, among: names)) The cases are \(listed(names)).")
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

    private static func failure(
        in text: String, line: Int, column: Int, _ message: String, model: String?, recovery: String
    ) -> CommandFailure {
        CommandFailure(
            .usage, "invalidPredicate", "Predicate \(line):\(column): \(message.asSentence)", model: model,
            recovery: recovery, detail: CommandFailure.excerpt(of: Array(text.utf8), line: line, column: column))
    }

    private static func advice(_ error: PredicateSyntaxError, _ text: String) -> String {
        if let advice = error.advice {
            return error.corrected.map { "\(advice) The whole predicate: \($0.inShellQuotes)" } ?? advice
        }
        // In `query Country population > 3`, the shell takes the operator and its value for itself.
        if text.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0 == "_" }), !text.isEmpty {
            return "Put the whole predicate in quotes, because a shell takes > < & and | for itself: '\(text) > 3'."
        }
        return
            "Predicates are written as in Swift: population > 1000000 && (name.beginsWith(\"San\") || capital == nil)."
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
            let target = try? schema.model(called: association.target)
        else { return nil }
        if let origin { throw DataStoreError.twoRelations(from: origin.model, [origin.relation, name]) }
        return PredicateSubject(model: target, schema: schema, origin: (model.name, name))
    }
}

extension QueryPredicate {
    /// The same predicate with the numbers in it as the fields of `row` take them.
    fileprivate func takingNumbers(of row: RowLayout) -> QueryPredicate {
        switch self {
        case .all: self
        case .and(let members): .and(members.map { $0.takingNumbers(of: row) })
        case .or(let members): .or(members.map { $0.takingNumbers(of: row) })
        case .not(let member): .not(member.takingNumbers(of: row))
        case .related(let name, let inner):
            .related(name, row.field(named: name)?.embedded.map { inner.takingNumbers(of: $0) } ?? inner)
        case .field(let name, let comparison):
            .field(name, row.field(named: name).map { comparison.takingNumbers(of: $0) } ?? comparison)
        }
    }
}

extension QueryPredicate.Comparison {
    fileprivate func takingNumbers(of field: FieldLayout) -> Self {
        let taken = { (value: FieldValue) in value.taken(as: field.type, field.embedded) }
        switch self {
        case .equal(let value): return .equal(value.map(taken))
        case .notEqual(let value): return .notEqual(value.map(taken))
        case .less(let value): return .less(taken(value))
        case .lessOrEqual(let value): return .lessOrEqual(taken(value))
        case .greater(let value): return .greater(taken(value))
        case .greaterOrEqual(let value): return .greaterOrEqual(taken(value))
        case .between(let lower, let upper): return .between(taken(lower), taken(upper))
        case .contains(let value): return .contains(value.taken(asElementOf: field))
        case .notContains(let value): return .notContains(value.taken(asElementOf: field))
        case .beginsWith, .endsWith, .ignoringCase: return self
        }
    }
}

extension FieldValue {
    /// The value as a field of `type` takes it when a record is imported: a Float takes any number, as the nearest Float.
    fileprivate func taken(as type: FieldType, _ embedded: RowLayout?) -> FieldValue {
        switch (type, self) {
        case (.double, .int(let number)): return .double(Double(number))
        case (.list(let element, _), .list(let values)): return .list(values.map { $0?.taken(as: element, embedded) })
        case (.embedded, .embedded(var members)):
            for field in embedded?.fields ?? [] {
                members[field.name] = members[field.name]?.taken(as: field.type, field.embedded)
            }
            return .embedded(members)
        default: return self
        }
    }

    fileprivate func taken(asElementOf field: FieldLayout) -> FieldValue {
        if case .list(let element, _) = field.type { taken(as: element, field.embedded) } else { self }
    }
}

/// The places of fields in the text of a predicate, in order.
private struct PredicatePlaces {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The place where the field called `name` is mentioned next, outside of string literals.
    ///
    /// - Parameter isInside: Whether the field is one of a related record. It may then follow the relation and a point.
    mutating func next(_ name: String, isInside: Bool) -> (line: Int, column: Int) {
        let wanted = Array(name.unicodeScalars)
        var isInText = false
        while index < scalars.count {
            let scalar = scalars[index]
            if isInText, scalar == "\\" {
                index += 2
                continue
            }
            if scalar == "\"" { isInText.toggle() }
            if !isInText, scalars[index...].starts(with: wanted), isWord(wanted.count, isInside: isInside) {
                defer { index += wanted.count }
                return place(index)
            }
            index += 1
        }
        return (1, 1)
    }

    private func isWord(_ count: Int, isInside: Bool) -> Bool {
        let isPart = { (scalar: Unicode.Scalar) in scalar == "_" || scalar == "." || scalar.properties.isAlphabetic }
        if index > 0, isPart(scalars[index - 1]), !isInside || scalars[index - 1] != "." { return false }
        guard index + count < scalars.count else { return true }
        let after = scalars[index + count]
        return after == "." || !isPart(after) && !("0"..."9").contains(after)
    }

    private func place(_ index: Int) -> (line: Int, column: Int) {
        let before = scalars[..<index]
        let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return (before.count { $0 == "\n" } + 1, index - lineStart + 1)
    }
}

extension String {
    /// The text with a full stop, unless it is a sentence already.
    fileprivate var asSentence: String { last == "." || last == "?" ? self : self + "." }
}
