internal import TidelogCore

/// A copy of everything that a server keeps, from one place to another one.
///
/// Each record is compared with the target first. So a copy that was ended in the middle continues when it is made again, and
/// finally both places are equal, even if a server has changed the source between the two times.
package struct ServedCopy: Sendable {
    /// The number of records that were copied, or that differ.
    package struct Outcome: Sendable, Hashable {
        /// The records that the target did not have, or had with other values.
        package var copied = 0
        /// The records that the target had already.
        package var unchanged = 0
        /// The records of an earlier copy that the source no longer has.
        package var removed = 0
        /// The answers to named changes that were copied.
        package var answers = 0
        /// The number of records that differ, by model. It is only counted if nothing is copied.
        package var differing: [String: Int] = [:]
    }

    private let source: any ServedContent
    private let target: any ServedContent
    private let models: [String]
    private let progress: @Sendable (_ model: String, _ count: Int) throws -> Void

    /// - Parameters:
    ///   - models: The models of the API.
    ///   - progress: Gets the model and the number of its records, after each page. If it throws, the copy ends there.
    package init(
        from source: any ServedContent, to target: any ServedContent, models: [String],
        progress: @escaping @Sendable (_ model: String, _ count: Int) throws -> Void
    ) {
        (self.source, self.target, self.models, self.progress) = (source, target, models, progress)
    }

    /// Copies everything, and then the facts.
    package func run(_ facts: ServedFacts) async throws -> Outcome {
        var outcome = Outcome()
        for model in models { try await pass(model, copies: true, &outcome) }
        var answers = Outcome()
        try await pass(ServerModels.answer, copies: true, &answers)
        outcome.answers = answers.copied
        try await target.finish(facts)
        return outcome
    }

    /// Compares everything, and changes nothing.
    package func compare() async throws -> Outcome {
        var outcome = Outcome()
        for model in models { try await pass(model, copies: false, &outcome) }
        return outcome
    }

    private func pass(_ model: String, copies: Bool, _ outcome: inout Outcome) async throws {
        let isNew = try await target.count(model) == 0
        var count = 0
        var limit = ServedPage.firstCount
        var next = try await source.page(model, after: nil, limit: limit)
        while true {
            let page = next
            let nextLimit = page.nextLimit(after: limit)
            limit = nextLimit
            // The next page is read while this one is written.
            async let following = following(page, of: model, limit: nextLimit)
            let stored =
                isNew ? page.records.map { _ in nil } : try await target.stored(model, as: page.records)
            let changes = zip(page.records, stored).filter { $0 != $1 }
            if copies, !changes.isEmpty {
                try await target.write(
                    model, saved: changes.map(\.0), replaced: changes.compactMap(\.1), removed: [])
            }
            if copies { outcome.copied += changes.count } else { outcome.differing[model, default: 0] += changes.count }
            outcome.unchanged += page.records.count - changes.count
            count += page.records.count
            try progress(model, count)
            guard let page = try await following else { break }
            next = page
        }
        // The names of changes that were purged at the source have no meaning, so these answers may stay.
        if !isNew, model != ServerModels.answer, try await target.count(model) != count {
            try await removeRest(model, copies: copies, &outcome)
        }
    }

    /// The page after `page`; `nil` if it is the last one.
    private func following(_ page: ServedPage, of model: String, limit: Int) async throws -> ServedPage? {
        guard let place = page.next else { return nil }
        return try await source.page(model, after: place, limit: limit)
    }

    /// Removes the records that the target has and the source lacks.
    private func removeRest(_ model: String, copies: Bool, _ outcome: inout Outcome) async throws {
        var place: PagePlace?
        var limit = ServedPage.firstCount
        repeat {
            let page = try await target.page(model, after: place, limit: limit)
            limit = page.nextLimit(after: limit)
            let known = try await source.stored(model, as: page.records)
            let rest = zip(page.records, known).filter { $1 == nil }.map(\.0)
            if copies, !rest.isEmpty {
                try await target.write(model, saved: [], replaced: [], removed: rest)
                outcome.removed += rest.count
            } else {
                outcome.differing[model, default: 0] += rest.count
            }
            try progress(model, 0)
            place = page.next
        } while place != nil
    }
}
