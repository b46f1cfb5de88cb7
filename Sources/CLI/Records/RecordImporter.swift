@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// Imports lines of JSON. It reads them straight into encoded rows and commits them batch by batch. The next batch is read
/// while one batch is committed. A record that the store already has with the same values is not saved again.
struct RecordImporter {
    struct Options: Sendable {
        var batchCount = 1_000
        var origin = Origin.local
        var skipsBad = false
        /// Whether a line on standard output confirms each durable commit.
        var acknowledges = false
    }

    struct Outcome: Sendable {
        var savedCount = 0
        /// How many records the store already had with the same values.
        var unchangedCount = 0
        var skippedCount = 0
        var head = SequenceNumber.zero
        /// The texts that are no case of their enum.
        var unknownCases: [UnknownCases.Finding] = []

        /// How many records of the input are now in the store.
        var storedCount: Int { savedCount + unchangedCount }
    }

    /// Encoded rows for one commit, with the lines that they came from.
    ///
    /// Soundness of `@unchecked Sendable`: only the reader fills the batch, and after that only one commit uses it.
    final class Batch: @unchecked Sendable {
        let arena = ByteArena(capacity: 1 << 16)
        private(set) var rows: [Range<Int>] = []
        private var lines: [Int] = []
        /// The number of the last line that was read for this batch or an earlier one.
        var lastLine = 0
        /// How many records the store already had with the same values.
        private(set) var unchangedCount = 0
        /// The rows that the store refused, with their lines.
        private(set) var refused: [(line: Int, error: DataStoreError)] = []

        func add(_ row: Range<Int>, line: Int) {
            rows.append(row)
            lines.append(line)
            lastLine = line
        }

        /// Saves every row. With `comparing`, only rows that change something are saved.
        ///
        /// - Throws: ``CommandFailure`` with the line of the first row that the store refuses, unless `skipsRefused` is set.
        func save(
            in transaction: StoreTransaction, _ model: ModelLayout, origin: Origin, comparing: Bool, skipsRefused: Bool
        ) throws {
            unchangedCount = 0
            refused = []
            for (row, line) in zip(rows, lines) {
                do {
                    let row = try RowView(arena[row])
                    if comparing, try transaction.holds(row, of: model) {
                        unchangedCount += 1
                    } else {
                        try transaction.save(row, of: model, origin: origin)
                    }
                } catch let error as DataStoreError where [.invalidValue, .ruleBroken].contains(error.code) {
                    guard skipsRefused else { throw CommandFailure(error).at(line: line) }
                    refused.append((line, error))
                }
            }
        }
    }

    private let store: DataStore
    private let model: ModelLayout
    private let options: Options
    private let console: Console
    /// Whether each row is compared with the store, because the store already has records of the model.
    private var comparesRows = false
    private var reader: RowJSONReader
    private var splitter = JSONLineSplitter()
    private var batch = Batch()
    private var full: [Batch] = []
    private var badLines: [(line: Int, message: String)] = []
    private var outcome = Outcome()

    private static let chunkByteCount = 1 << 18
    /// This limit is well below the largest size of a commit.
    private static let batchByteCount = 32 << 20

    init(into store: DataStore, model: ModelLayout, options: Options, console: Console) {
        self.store = store
        self.model = model
        self.options = options
        self.console = console
        reader = RowJSONReader(layout: model)
    }

    /// Imports all of `source`.
    ///
    /// - Throws: ``CommandFailure`` for the first bad line, with its number. The log then has the batches before the batch of
    ///   that line.
    mutating func run(_ source: InputSource) async throws -> Outcome {
        comparesRows = try await hasRecords()
        outcome.head = try store.head.sequence
        var bar = ProgressBar("Importing \(model.name)", unit: "record", on: console)
        defer { bar.leave() }
        var pending: Task<Outcome, any Error>?
        var failure: (any Error)?
        var isAtEnd = false
        while !isAtEnd, failure == nil {
            do {
                let chunk = try source.read(Self.chunkByteCount)
                isAtEnd = chunk.isEmpty
                try split(chunk, of: source)
            } catch {
                failure = error
            }
            if failure == nil, isAtEnd { seal() }
            if let pending { outcome.add(try await pending.value) }
            try reportBadLines(&bar)
            bar.update(outcome.storedCount, fraction: source.fraction)
            pending = commit()
        }
        if let pending { outcome.add(try await pending.value) }
        if let failure {
            bar.leave()
            throw failure
        }
        bar.finish(outcome.storedCount)
        outcome.unknownCases = reader.unknownFindings
        return outcome
    }

    /// Whether the store has records of the model. If it has none, rows are not compared, which saves one lookup per row.
    private func hasRecords() async throws -> Bool {
        try await store.read { [name = model.name] snapshot in
            var isFound = false
            try snapshot.forEachRow(Record.all(of: name)) { _, _ in
                isFound = true
                return false
            }
            return isFound
        }
    }

    private mutating func split(_ chunk: [UInt8], of source: InputSource) throws {
        var splitter = splitter
        defer { self.splitter = splitter }
        if chunk.isEmpty {
            try splitter.finish { try read($0, of: source) }
        } else {
            try splitter.append(chunk) { try read($0, of: source) }
        }
    }

    private mutating func read(_ line: JSONLineSplitter.Line, of source: InputSource) throws {
        do throws(RecordJSONError) {
            let row = try reader.append(line.bytes, origin: line.position, to: batch.arena)
            batch.add(row, line: line.position.line)
        } catch {
            let bad = BadLine(
                line.bytes, line.position.line, error, of: source.name, command: "import", model: model.name)
            guard options.skipsBad, !bad.isHopeless else { throw bad.failure }
            badLines.append((line.position.line, bad.reason))
            outcome.skippedCount += 1
            batch.lastLine = line.position.line
        }
        if batch.rows.count >= options.batchCount || batch.arena.count >= Self.batchByteCount { seal() }
    }

    private mutating func seal() {
        guard !batch.rows.isEmpty else { return }
        full.append(batch)
        batch = Batch()
    }

    private mutating func reportBadLines(_ bar: inout ProgressBar) throws {
        guard !badLines.isEmpty else { return }
        bar.leave()
        for (line, message) in badLines { try console.reportSkipped(line: line, message) }
        badLines = []
    }

    /// Starts to commit the full batches, in order.
    private mutating func commit() -> Task<Outcome, any Error>? {
        guard !full.isEmpty else { return nil }
        let batches = full
        full = []
        return Task { [store, model, options, console, comparesRows] in
            var outcome = Outcome()
            for batch in batches {
                try Interruption.check()
                let commit = try await store.write(estimatedByteCount: batch.arena.count) {
                    try batch.save(
                        in: $0, model, origin: options.origin, comparing: comparesRows, skipsRefused: options.skipsBad)
                }
                outcome.savedCount += commit.eventCount
                outcome.unchangedCount += batch.unchangedCount
                outcome.skippedCount += batch.refused.count
                outcome.head = commit.last
                for (line, error) in batch.refused { try console.reportSkipped(line: line, error.message) }
                if options.acknowledges {
                    try console.output.writeObject { writer in
                        writer.member("acknowledged", batch.lastLine)
                        writer.member("sequence", commit.last.value)
                    }
                    try console.output.flush()
                }
            }
            return outcome
        }
    }
}

extension Console {
    /// Reports a line of the input that is left out: as a warning, or with `--json` as a line of the output.
    fileprivate func reportSkipped(line: Int, _ reason: String) throws {
        guard isJSON else { return warn("line \(line) skipped: \(reason)") }
        try output.writeObject { writer in
            writer.member("line", line)
            writer.member("reason", reason)
        }
    }
}

extension RecordImporter.Outcome {
    fileprivate mutating func add(_ other: Self) {
        savedCount += other.savedCount
        unchangedCount += other.unchangedCount
        skippedCount += other.skippedCount
        head = max(head, other.head)
    }
}

extension CommandFailure {
    /// The same failure with the line of the input that it concerns.
    func at(line: Int) -> CommandFailure {
        CommandFailure(
            status, code, "Line \(line): \(message)", model: model, id: id, recovery: recovery, detail: detail)
    }
}
