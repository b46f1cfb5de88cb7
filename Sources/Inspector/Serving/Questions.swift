internal import TidelogCore
internal import TidelogServer

/// The questions that the page asks about a store, by their names below `api/`. Each has an answer of its own type.
struct Questions: Sendable {
    let store: InspectedStore

    /// The answer to the question called `name`; `nil` if there is no such question.
    ///
    /// - Throws: ``ErrorReport``, ``PredicateRefusal``, ``KeyRefusal``, ``DataStoreError``.
    func answer(_ name: String, _ request: HTTPRequest) async throws -> (any Encodable)? {
        switch name {
        case "store": try await StoreReport.make(of: store)
        case "records": try await RecordsPage.make(RecordsPage.Question(request), of: store)
        case "count": try await RecordCount.make(RecordsPage.Question(request), of: store)
        case "record":
            try await RecordReport.make(
                model: request.required("model"), key: request.query.filter { $0.name == "key" }.map(\.value), of: store
            )
        case "log": try await LogPage.make(LogPage.Question(request), of: store)
        case "outbox": try await OutboxReport.make(of: store)
        default: nil
        }
    }

    /// The decision that the question called `name` asks for; `nil` for other questions.
    static func decision(_ name: Substring) -> InspectedStore.Decision? {
        name.hasPrefix("outbox/") ? InspectedStore.Decision(rawValue: String(name.dropFirst("outbox/".count))) : nil
    }

    /// Retries or discards the change that the parameter `sequence` names.
    func decide(_ decision: InspectedStore.Decision, _ request: HTTPRequest) async throws -> any Encodable {
        guard let sequence = UInt64(try request.required("sequence")) else {
            throw ErrorReport(400, "invalidParameter", "The parameter sequence is a number.")
        }
        return DecisionReport(isDecided: try await store.decide(decision, SequenceNumber(sequence)))
    }
}

extension HTTPRequest {
    /// The value of the parameter called `name`.
    func required(_ name: String) throws -> String {
        guard let value = queryValue(name) else {
            throw ErrorReport(400, "missingParameter", "The parameter \(name) is missing.")
        }
        return value
    }

    /// The number in the parameter called `name`, within `range`; `nil` if there is no such parameter.
    func number(_ name: String, in range: ClosedRange<UInt64>) throws -> UInt64? {
        guard let text = queryValue(name), !text.isEmpty else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            throw ErrorReport(
                400, "invalidParameter",
                "The parameter \(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
