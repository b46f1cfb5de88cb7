internal import Tidelog
internal import TidelogJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The part of `verify` that runs in a child process, because reading a damaged file may crash the process.
struct VerifyChildCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify-child", summary: "the part of verify that may die",
        options: Option.forStore + [
            Option(name: "salvage", value: "DIR", help: "copy every undamaged event into a new store"),
            Option(name: "schema", value: "FILE", help: "the store's schema, for a log that lost it"),
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
        let progress = SharedProgress("Verifying", on: console)
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
            salvaged = try await DataStore.salvage(
                from: URL(filePath: access.path), to: URL(filePath: salvage), adapter: factory,
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
    private func check(_ progress: SharedProgress) async throws -> VerificationReport {
        if isLogOnly { return try await DataStore.verifyLog(at: URL(filePath: access.path)) }
        do {
            let store = try access.openForReading()
            let report = try await store.verify { progress.update($0) }
            try await store.close()
            return report
        } catch {
            let code = CommandFailure(error).code
            let isOfLog = code == DataStoreError.Code.logDamaged.name
            guard isOfLog || code == DataStoreError.Code.projectionUnavailable.name else { throw error }
            let report = try await DataStore.verifyLog(at: URL(filePath: access.path)) { progress.update($0) }
            if isOfLog, report.damaged.isEmpty { throw error }
            return report
        }
    }

    private func writeJSON(
        _ report: VerificationReport?, _ salvaged: SalvageReport?, _ console: Console
    ) throws {
        try console.output.writeObject { writer in
            writer.member("ok", report?.isWhole ?? false)
            if let report { Self.write(report, to: &writer) }
            if let salvaged {
                writer.key("salvaged")
                writer.beginObject()
                writer.member("kept", salvaged.keptCount)
                writer.member("damaged", salvaged.damagedCount)
                writer.member("missing", salvaged.missingCount)
                writer.member("dropped", salvaged.droppedCount)
                writer.member("sequence", salvaged.lastSequence.value)
                Self.write(salvaged, to: &writer)
                writer.endObject()
            }
        }
    }

    private static func write(_ salvaged: SalvageReport, to writer: inout JSONWriter) {
        writer.member("chainEnd", salvaged.chainEnd.value)
        writer.key("gaps")
        writer.beginArray()
        for gap in salvaged.gaps {
            writer.beginObject()
            writer.member("from", gap.lowerBound.value)
            writer.member("to", gap.upperBound.value)
            writer.endObject()
        }
        writer.endArray()
        writer.member("records", salvaged.recordCount)
        writer.member("notes", salvaged.noteCount)
        writer.key("schemas")
        writer.beginArray()
        for version in salvaged.replacedSchemas { writer.int(Int64(version)) }
        writer.endArray()
        writer.key("shortcomings")
        writer.beginArray()
        for shortcoming in salvaged.shortcomings { writer.string(shortcoming) }
        writer.endArray()
    }

    private static func write(_ report: VerificationReport, to writer: inout JSONWriter) {
        writer.member("events", report.eventCount)
        writer.key("damaged")
        writer.beginArray()
        for damage in report.damaged {
            writer.beginObject()
            writer.member("sequence", damage.sequence.value)
            writer.member("reason", damage.reason)
            writer.endObject()
        }
        writer.endArray()
        writer.key("projection")
        if let projection = report.projection { writer.string(projection.rawValue) } else { writer.null() }
        writer.key("stateHash")
        if let hash = report.stateHash { writer.string("\(hash)") } else { writer.null() }
    }

    private func write(_ report: VerificationReport?, _ salvaged: SalvageReport?, _ console: Console) throws {
        let style = console.outputStyle
        let (good, bad) = (style.green("✓"), style.red("✗"))
        var lines: [String] = []
        if let report {
            lines.append(
                report.damaged.isEmpty
                    ? "\(good) log         \(counted(report.eventCount, "event")), every checksum and link right"
                    : "\(bad) log         \(counted(report.damaged.count, "damaged event")) "
                        + "among \(report.eventCount.grouped); the last good event before them is \(report.lastGood)")
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
    private static func lines(_ salvaged: SalvageReport, _ salvage: String, _ style: Style) -> [String] {
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
