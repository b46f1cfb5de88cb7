internal import Tidelog
internal import TidelogCore
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogServer
internal import TidelogSynchronization

/// Copies everything that a server keeps to another place, so that its clients can continue there.
struct ServedDataCopy {
    static let options = [
        Option(name: "from", value: "PLACE", help: "copy a server's data from this store or postgres://… address"),
        Option(
            name: "to", value: "PLACE", help: "to this store or postgres://… address, which a copy creates or fills"),
    ]

    private let source: ServedPlace
    private let target: ServedPlace

    /// Reads the options; `nil` if the arguments ask for no copy.
    init?(_ arguments: Arguments) throws {
        guard arguments.has("from") || arguments.has("to") else { return nil }
        guard let from = arguments.text("from"), let to = arguments.text("to") else {
            throw UsageError("--from and --to are given together.")
        }
        for name in ["rename", "schema"] where arguments.has(name) {
            throw UsageError("--\(name) renames in a store, and --from and --to copy. Use two commands.")
        }
        source = try ServedPlace(from)
        target = try ServedPlace(
            to, adapter: arguments.choice("adapter", ["lmdb": .lmdb, "sqlite": .sqlite]),
            durability: arguments.choice("durability", ["full": .full, "relaxed": .relaxed]))
        for name in ["adapter", "durability"] where arguments.has(name) && !target.isStore {
            throw UsageError("--\(name) is for a store, and --to names a database.")
        }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        guard let opened = try await source.open(console) else {
            throw CommandFailure(
                .failed, "storeNotFound", "There is no store at the place that --from names.",
                recovery: "Name the store of a server: the directory of `tidelog serve --store`.")
        }
        do {
            let start = ContinuousClock.now
            let outcome = try await copy(opened, console)
            try report(outcome, ContinuousClock.now - start, console)
        } catch {
            try? await opened.close()
            throw error
        }
        try await opened.close()
        return .done
    }

    private func copy(_ opened: ServedPlace.Opened, _ console: Console) async throws -> ServedCopy.Outcome {
        let facts = try await opened.facts
        guard facts.unfinishedSource == nil else { throw ServedFacts.isUnfinished }
        guard let document = facts.source else {
            throw CommandFailure(
                .failed, "storeNotFound", "No server has used the place that --from names.",
                recovery: "Name the store or the database of a server.")
        }
        let api = try API(SchemaDocument(sdl: Array(document.utf8)), facts.kind)
        let content = try opened.content(api.storedSchema)
        var end = try await target.open(console)
        do {
            if let end, try await isOccupied(end, by: content.identity) {
                let outcome = try await compare(content, end, api, console)
                try await end.close()
                return outcome
            }
            let begun = try await target.begin(
                end, facts, schema: api.storedSchema, from: content.identity, console)
            end = begun
            let outcome = try await progress(api, content, console) { models, progress in
                try await ServedCopy(
                    from: content, to: try begun.content(api.storedSchema), models: models, progress: progress
                ).run(facts)
            }
            try await begun.close()
            return outcome
        } catch {
            try? await end?.close()
            throw error
        }
    }

    /// Whether the place has content that is not an unfinished copy of the place called `source`.
    private func isOccupied(_ place: ServedPlace.Opened, by source: String) async throws -> Bool {
        guard let begun = try await place.facts.unfinishedSource else { return try await !place.isEmpty }
        guard begun == source else {
            throw CommandFailure(
                .failed, "alreadyExists", "The place that --to names has an unfinished copy of another place.",
                recovery: "Copy from that place again, or name an empty one.")
        }
        return false
    }

    /// Compares the source with the target, which has content.
    ///
    /// - Throws: ``CommandFailure`` with status 1 if they differ.
    private func compare(
        _ content: any ServedContent, _ end: ServedPlace.Opened, _ api: API, _ console: Console
    ) async throws -> ServedCopy.Outcome {
        let facts = try await end.facts
        var difference = "another schema"
        let other = try facts.source.map { try API(SchemaDocument(sdl: Array($0.utf8)), facts.kind) }
        if other?.storedSchema == api.storedSchema, other?.kind == api.kind {
            let outcome = try await progress(api, content, console) { models, progress in
                try await ServedCopy(
                    from: content, to: try end.content(api.storedSchema), models: models, progress: progress
                ).compare()
            }
            let differing = outcome.differing.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            guard !differing.isEmpty else { return outcome }
            difference = differing.map { "\(counted($0.value, "other record")) of \($0.key)" }.joined(separator: ", ")
        }
        throw CommandFailure(
            .failed, "alreadyExists", "The place that --to names has other content: \(difference).",
            recovery: "Name an empty database or a new directory. Nothing was changed.")
    }

    /// Runs `body` with the models of the API and a bar that shows the progress.
    private func progress(
        _ api: API, _ content: any ServedContent, _ console: Console,
        _ body: ([String], @escaping @Sendable (String, Int) throws -> Void) async throws -> ServedCopy.Outcome
    ) async throws -> ServedCopy.Outcome {
        let models = api.storedSchema.models.map(\.name)
        var total = 0
        for model in models { total += try await content.count(model) }
        let bar = CopyProgress(total: total, on: console)
        defer { bar.finish() }
        return try await body(models) { model, count in
            bar.update(model, count)
            try Interruption.check()
        }
    }

    private func report(_ outcome: ServedCopy.Outcome, _ time: Duration, _ console: Console) throws {
        if console.isJSON {
            return try console.output.writeObject { writer in
                writer.member("copied", outcome.copied)
                writer.member("unchanged", outcome.unchanged)
                writer.member("removed", outcome.removed)
                writer.member("answers", outcome.answers)
            }
        }
        guard outcome.copied + outcome.removed + outcome.answers > 0 else {
            return console.success("\(counted(outcome.unchanged, "record")): both places are equal.")
        }
        let before = outcome.unchanged > 0 ? ", \(outcome.unchanged.grouped) were there already" : ""
        console.success(
            "Copied \(counted(outcome.copied, "record")) and the ids of \(counted(outcome.answers, "mutation")) "
                + "in \(time.short)\(before)")
        let option = target.isStore ? "--store" : "--database"
        console.note("  Start the server with \(option) now. Its clients continue, if its address is the same.")
    }
}

/// A bar that shows how many records were copied.
private final class CopyProgress: Sendable {
    private struct State {
        var bar: ProgressBar
        var counts: [String: Int] = [:]
    }

    private let total: Int
    private let state: Mutex<State>

    init(total: Int, on console: Console) {
        self.total = total
        state = Mutex(State(bar: ProgressBar("Copying", unit: "record", on: console)))
    }

    func update(_ model: String, _ count: Int) {
        guard model != ServerModels.answer else { return }
        state.withLock { state in
            state.counts[model] = max(count, state.counts[model] ?? 0)
            let done = state.counts.values.reduce(0, +)
            state.bar.update(done, fraction: total == 0 ? 1 : min(1, Double(done) / Double(total)))
        }
    }

    func finish() { state.withLock { $0.bar.leave() } }
}
