@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText

/// Imports lines of JSON. It reads them straight into encoded rows and commits them batch by batch. The next batch is read
/// while one batch is committed. A record that the target already has with the same values is not saved again.
struct RecordImporter {
    struct Options: Sendable {
        var batchCount = 1_000
        var skipsBad = false
        /// Whether a line on standard output confirms each durable commit.
        var acknowledges = false
    }

    struct Outcome: Sendable {
        var savedCount = 0
        /// How many records the target already had with the same values.
        var unchangedCount = 0
        var skippedCount = 0
        /// The number of the last event or change.
        var sequence: UInt64 = 0
        /// The texts that are no case of their enum.
        var unknownCases: [UnknownCases.Finding] = []

        /// How many records of the input are now in the target.
        var storedCount: Int { savedCount + unchangedCount }
    }

    private let target: any ImportTarget
    private let options: Options
    private let console: Console
    private var reader: RowJSONReader
    private var splitter = JSONLineSplitter()
    private var batch = ImportBatch()
    private var full: [ImportBatch] = []
    private var badLines: [(line: Int, message: String)] = []
    private var outcome = Outcome()

    private static let chunkByteCount = 1 << 18
    /// This limit is well below the largest size of a commit.
    private static let batchByteCount = 32 << 20

    init(into target: any ImportTarget, options: Options, console: Console) {
        self.target = target
        self.options = options
        self.console = console
        reader = RowJSONReader(layout: target.model)
    }

    /// Imports all of `source`.
    ///
    /// - Throws: ``CommandFailure`` for the first bad line, with its number. The batches before the batch of that line are then
    ///   saved.
    mutating func run(_ source: InputSource) async throws -> Outcome {
        outcome.sequence = try target.sequence
        var bar = ProgressBar("Importing \(target.model.name)", unit: "record", on: console)
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
            if !target.keepsUnknownCases, let refusal = unknownCase(at: line.position) {
                batch.arena.count = row.lowerBound
                throw refusal
            }
            batch.add(row, line: line.position.line)
        } catch {
            if !target.keepsUnknownCases { reader.forgetUnknownCases() }
            let bad = BadLine(
                line.bytes, line.position.line, error, of: source.name, command: "import", model: target.model.name)
            guard options.skipsBad, !bad.isHopeless else { throw bad.failure }
            badLines.append((line.position.line, bad.reason))
            outcome.skippedCount += 1
            batch.lastLine = line.position.line
        }
        if batch.rows.count >= options.batchCount || batch.arena.count >= Self.batchByteCount { seal() }
    }

    /// The error about a text that is no case of its enum in the line that was read last; `nil` if there is none.
    private mutating func unknownCase(at position: JSONPosition) -> RecordJSONError? {
        guard let finding = reader.unknownFindings.first else { return nil }
        let guess = finding.probableCase.map { "; \($0) is probably meant" } ?? ""
        return RecordJSONError(
            .wrongType, "the text is no case of the enum, whose cases are \(listed(finding.cases))\(guess)",
            at: position, model: target.model.name, field: finding.field)
    }

    private mutating func seal() {
        guard !batch.rows.isEmpty else { return }
        full.append(batch)
        batch = ImportBatch()
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
        return Task { [target, options, console] in
            var outcome = Outcome()
            for batch in batches {
                try Interruption.check()
                let saved = try await target.save(batch, skipsRefused: options.skipsBad)
                outcome.savedCount += saved.savedCount
                outcome.unchangedCount += saved.unchangedCount
                outcome.skippedCount += saved.refused.count
                let sequence = try saved.sequence ?? target.sequence
                outcome.sequence = sequence
                for (line, error) in saved.refused { try console.reportSkipped(line: line, error.message) }
                if options.acknowledges {
                    try console.output.writeObject { writer in
                        writer.member("acknowledged", batch.lastLine)
                        writer.member("sequence", sequence)
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
        sequence = max(sequence, other.sequence)
    }
}

extension CommandFailure {
    /// The same failure with the line of the input that it concerns.
    func at(line: Int) -> CommandFailure {
        CommandFailure(
            status, code, "Line \(line): \(message)", model: model, id: id, recovery: recovery, detail: detail)
    }
}
