internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Checks a store in a child process, because a damaged file may crash the process that maps it.
struct VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify", summary: "read every event and compare every row with its event",
        discussion: """
            Exit 7 where damage is found. Rows that differ are recreated by `tidelog rebuild`; what is good of a damaged
            log is copied by --salvage. The state hash is equal for equal content on every adapter.
            """,
        options: Option.forStore + salvaging,
        examples: [
            .init("Is everything as it should be?", "verify --store ./world"),
            .init("For scripts", "verify --store ./world --json"),
            .init("Rescue every undamaged event", "verify --store ./world --salvage ./rescued"),
        ])

    static let salvaging = [
        Option(name: "salvage", value: "DIR", help: "copy every undamaged event into a new store"),
        Option(name: "schema", value: "FILE", help: "the store's schema, for a log that lost it"),
    ]

    private let access: StoreAccess
    private let salvage: String?
    private let schema: String?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        salvage = arguments.text("salvage")
        schema = arguments.text("schema")
        if schema != nil, salvage == nil { throw UsageError("--schema goes with --salvage.") }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        var arguments = ["verify-child", "--store", access.path]
        if let adapter = access.adapter { arguments += ["--adapter", adapter.rawValue] }
        if let salvage { arguments += ["--salvage", salvage] }
        if let schema { arguments += ["--schema", schema] }
        if console.isJSON { arguments.append("--json") }
        if console.showsProgress { arguments.append("--progress") }
        Interruption.deferToCommits()
        if case .exited(let status) = try await run(arguments) { return status }
        guard let salvage else {
            if let failure = try await access.damage() { throw failure }
            throw CommandFailure(
                .damaged, "damaged", "The file of \(access.path) is damaged so badly that reading it ends the process.",
                recovery: "Save every undamaged event: `tidelog verify --store \(access.path) --salvage DIR`.")
        }
        console.warn("the check died on a damaged file; salvaging without it")
        if case .exited(let status) = try await run(arguments + ["--unchecked"]) { return status }
        console.warn("reading the rows ends the process; salvaging the log alone")
        if case .exited(let status) = try await run(arguments + ["--unchecked", "--log-only"]) { return status }
        throw CommandFailure(
            .failed, "crashed", "Salvaging \(access.path) into \(salvage) died.",
            recovery: "This is a fault of the tool: please report it with the command, and keep the store's files.")
    }

    private func run(_ arguments: [String]) async throws -> ChildRun.End {
        let child = try ChildRun(System.executable, arguments, mayCrash: true)
        return try await child.wait()
    }
}

extension VerifyCommand {
    /// The part of `verify` that runs in a child process, because reading a damaged file may crash the process.
    struct Child: Command {
        static let syntax = CommandSyntax(
            name: "verify-child", summary: "the part of verify that may die",
            options: Option.forStore + VerifyCommand.salvaging + [
                Option(name: "unchecked", help: "only salvage"),
                Option(name: "log-only", help: "leave the rows alone"),
            ],
            isHidden: true)

        private let access: StoreAccess
        private let salvage: String?
        private let schema: String?
        private let isUnchecked: Bool
        private let isLogOnly: Bool

        init(_ arguments: Arguments) throws {
            access = try StoreAccess(arguments)
            salvage = arguments.text("salvage")
            schema = arguments.text("schema")
            isUnchecked = arguments.has("unchecked")
            isLogOnly = arguments.has("log-only")
        }

        func run(_ console: Console) async throws -> ExitStatus {
            let progress = ProgressBar.Shared("Verifying", on: console)
            var report: VerificationReport?
            var failure: CommandFailure?
            if !isUnchecked {
                do { report = try await check(progress) } catch {
                    // A store that cannot be checked can still be salvaged.
                    guard salvage != nil, CommandFailure(error).status == .damaged else { throw error }
                    failure = CommandFailure(error)
                }
            }
            progress.leave()
            var salvaged: SalvageReport?
            if let salvage {
                if let failure { console.warn("The store cannot be checked: \(failure.message)") }
                let factory = isLogOnly ? nil : try access.adapterBesideDamagedLog()
                salvaged = try await StoreFiles.salvage(
                    from: access.url, to: StoreAccess(path: salvage).url, adapter: factory,
                    schema: schema.map { try SchemaFile.read($0) }
                ) {
                    progress.update($0)
                }
                progress.leave()
            }
            if console.isJSON { try writeJSON(report, salvaged, console) } else { try write(report, salvaged, console) }
            return report?.isWhole ?? false ? .done : .damaged
        }

        /// Checks the log and the rows. If the store does not open, only the log is checked.
        private func check(_ progress: ProgressBar.Shared) async throws -> VerificationReport {
            if isLogOnly { return try await StoreFiles.verifyLog(at: access.url) }
            do {
                let store = try access.openForReading()
                let report = try await store.verify { progress.update($0) }
                try await store.close()
                return report
            } catch {
                let code = CommandFailure(error).code
                let isOfLog = code == DataStoreError.Code.logDamaged.name
                guard isOfLog || code == DataStoreError.Code.projectionUnavailable.name else { throw error }
                let report = try await StoreFiles.verifyLog(at: access.url) { progress.update($0) }
                if isOfLog, report.damaged.isEmpty { throw error }
                return report
            }
        }

        private func writeJSON(_ report: VerificationReport?, _ salvaged: SalvageReport?, _ console: Console) throws {
            try console.output.writeObject { writer in
                writer.member("ok", report?.isWhole ?? false)
                if let report { Self.write(report, to: &writer) }
                if let salvaged { writer.object("salvaged") { Self.write(salvaged, to: &$0) } }
            }
        }

        private static func write(_ salvaged: SalvageReport, to writer: inout JSONWriter) {
            writer.member("kept", salvaged.keptCount)
            writer.member("damaged", salvaged.damagedCount)
            writer.member("missing", salvaged.missingCount)
            writer.member("dropped", salvaged.droppedCount)
            writer.member("sequence", salvaged.lastSequence.value)
            writer.member("chainEnd", salvaged.chainEnd.value)
            writer.objects("gaps", salvaged.gaps) { writer, gap in
                writer.member("from", gap.lowerBound.value)
                writer.member("to", gap.upperBound.value)
            }
            writer.member("records", salvaged.recordCount)
            writer.member("notes", salvaged.noteCount)
            writer.key("schemas")
            writer.beginArray()
            for version in salvaged.replacedSchemas { writer.int(Int64(version)) }
            writer.endArray()
            writer.texts("shortcomings", salvaged.shortcomings)
        }

        private static func write(_ report: VerificationReport, to writer: inout JSONWriter) {
            writer.member("events", report.eventCount)
            writer.objects("damaged", report.damaged) { writer, damage in
                writer.member("sequence", damage.sequence.value)
                writer.member("reason", damage.reason)
            }
            writer.member("projection", orNull: report.projection?.rawValue)
            writer.member("stateHash", orNull: report.stateHash.map { "\($0)" })
        }

        private func write(_ report: VerificationReport?, _ salvaged: SalvageReport?, _ console: Console) throws {
            let style = console.outputStyle
            let good = style.green("✓")
            let bad = style.red("✗")
            var lines: [String] = []
            if let report {
                lines.append(
                    report.damaged.isEmpty
                        ? "\(good) log         \(counted(report.eventCount, "event")), every checksum and link right"
                        : "\(bad) log         \(counted(report.damaged.count, "damaged event")) "
                            + "among \(report.eventCount.grouped); the last good event before them is \(report.lastGood)"
                )
                lines += report.damaged.prefix(20).map { "    event \($0.sequence): \(console.shown($0.reason))" }
                switch report.projection {
                case .equal?: lines.append("\(good) rows        every row is its event's")
                case .differs?:
                    lines.append("\(bad) rows        not as the log says: run `tidelog rebuild`")
                    lines += report.differences.prefix(20).map { "    \(console.shown($0))" }
                case nil: lines.append("\(style.dim("–")) rows        not compared")
                }
                if let hash = report.stateHash { lines.append("  state hash  \(hash)") }
            }
            if let salvaged, let salvage { lines += Self.lines(salvaged, salvage, style) }
            try console.output.write(lines.joined(separator: "\n") + "\n")
        }

        /// The lines about the records that were saved, the records that were lost, and the next step.
        private static func lines(_ salvaged: SalvageReport, _ salvage: String, _ style: Console.Style) -> [String] {
            let mark = salvaged.isComplete ? style.green("✓") : style.yellow("!")
            var lines = [
                "\(mark) salvaged    \(counted(salvaged.keptCount, "event")) into \(salvage); "
                    + "\(salvaged.damagedCount.grouped) damaged, \(salvaged.missingCount.grouped) missing, "
                    + "\(salvaged.droppedCount.grouped) left out"
            ]
            lines += salvaged.gaps.prefix(20).map { gap in
                gap.lowerBound == gap.upperBound
                    ? "    lost: event \(gap.lowerBound)" : "    lost: events \(gap.lowerBound) to \(gap.upperBound)"
            }
            if salvaged.gaps.count > 20 { lines.append("    and \(counted(salvaged.gaps.count - 20, "gap")) more") }
            if !salvaged.isComplete { lines.append("    the chain is unbroken up to event \(salvaged.chainEnd)") }
            if salvaged.recordCount + salvaged.noteCount > 0 {
                lines.append(
                    "    added from the rows: \(counted(salvaged.recordCount, "record")), "
                        + "\(counted(salvaged.noteCount, "deletion or state", "deletions and states"))")
            }
            lines += salvaged.replacedSchemas.map { "    schema version \($0) was lost; another is in its place" }
            lines += salvaged.shortcomings.map { "    \($0)" }
            lines.append(
                "  \(style.dim("→")) look at it: `tidelog verify --store \(salvage)`; then use it in place of the old")
            return lines
        }
    }
}
