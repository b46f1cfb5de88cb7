@_spi(Adapters) internal import Tidelog

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
                text, error.line, error.column, "expected \(error.expected)", model: nil, recovery: Self.advice)
        }
    }

    /// Checks that the predicate fits `model`. A failure names the place in the text.
    func check(against model: ModelLayout) throws {
        guard predicate != .all else { return }
        var places = PredicatePlaces(text)
        try check(predicate, model, &places)
    }

    private func check(_ predicate: QueryPredicate, _ model: ModelLayout, _ places: inout PredicatePlaces) throws {
        switch predicate {
        case .all: break
        case .and(let members), .or(let members): for member in members { try check(member, model, &places) }
        case .not(let member): try check(member, model, &places)
        case .related: break  // The place in the text is not known here. The query reports conditions that do not fit.
        case .field(let name, _):
            let place = places.next(name)
            do {
                _ = try RowPredicate(predicate, for: model)
            } catch let error as DataStoreError where error.code == .invalidPredicate {
                throw Self.failure(
                    text, place.line, place.column, error.message, model: model.name, recovery: error.recovery)
            }
        }
    }

    /// Warns of texts that are no case of an enum of `model`. They may be misspelled, or another build of the app may declare
    /// them.
    func warn(ofUnknownCasesOf model: ModelLayout, on console: Console) {
        for (field, text) in Self.enumTexts(predicate, model) {
            guard let cases = field.cases, !cases.contains(text) else { continue }
            console.warn(
                "The enum of \(model.name).\(field.name) has no case \"\(text)\". The cases are \(listed(cases.sorted()))."
            )
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
        _ text: String, _ line: Int, _ column: Int, _ message: String, model: String?, recovery: String
    ) -> CommandFailure {
        CommandFailure(
            .usage, "invalidPredicate", "Predicate \(line):\(column): \(message.withoutFullStop).", model: model,
            recovery: recovery, detail: SourceExcerpt(Array(text.utf8), line: line, column: column).text)
    }

    private static let advice =
        "Predicates are written as in Swift: population > 1000000 && (name.beginsWith(\"San\") || capital == nil)."
}

/// The places of fields in the text of a predicate, in order.
private struct PredicatePlaces {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The place where the field called `name` is mentioned next, outside of string literals.
    mutating func next(_ name: String) -> (line: Int, column: Int) {
        let wanted = Array(name.unicodeScalars)
        var isInText = false
        while index < scalars.count {
            let scalar = scalars[index]
            if isInText, scalar == "\\" {
                index += 2
                continue
            }
            if scalar == "\"" { isInText.toggle() }
            if !isInText, scalars[index...].starts(with: wanted), isWord(wanted.count) {
                defer { index += wanted.count }
                return place(index)
            }
            index += 1
        }
        return (1, 1)
    }

    private func isWord(_ count: Int) -> Bool {
        let isPart = { (scalar: Unicode.Scalar) in scalar == "_" || scalar == "." || scalar.properties.isAlphabetic }
        if index > 0, isPart(scalars[index - 1]) { return false }
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
    fileprivate var withoutFullStop: String { last == "." ? String(dropLast()) : self }
}
