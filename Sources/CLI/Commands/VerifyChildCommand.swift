internal import Tidelog
internal import TidelogJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The part of `verify` that may die.
struct VerifyChildCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify-child", summary: "the part of verify that may die",
        options: Option.forStore + [
            Option(name: "salvage", value: "DIR", help: "copy the good events into a new store"),
            Option(name: "unchecked", help: "only salvage"),
            Option(name: "log-only", help: "leave the rows alone"),
        ],
        isHidden: true)

    private let access: StoreAccess
    private let salvage: String?
    private let isUnchecked: Bool
    private let isLogOnly: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        salvage = arguments.text("salvage")
        isUnchecked = arguments.has("unchecked")
        isLogOnly = arguments.has("log-only")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let progress = SharedProgress("Verifying", on: console)
        let report = isUnchecked ? nil : try await check(progress)
        progress.leave()
        var salvaged: SalvageReport?
        if let salvage {
            salvaged = try await DataStore.salvage(from: URL(filePath: access.path), to: URL(filePath: salvage)) {
                progress.update($0)
            }
            progress.leave()
        }
        if console.isJSON { try writeJSON(report, salvaged, console) } else { try write(report, salvaged, console) }
        return report?.isWhole ?? false ? .done : .damaged
    }

    /// Checks log and rows; the log alone where the store does not open.
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
                writer.endObject()
            }
        }
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
                        + "of \(report.eventCount.grouped); the last good one before them is \(report.lastGood)")
            lines += report.damaged.prefix(20).map { "    event \($0.sequence): \($0.reason)" }
            switch report.projection {
            case .equal?: lines.append("\(good) rows        every row is its event's")
            case .differs?:
                lines.append("\(bad) rows        not as the log says: run `tidelog rebuild`")
                lines += report.differences.prefix(20).map { "    \($0)" }
            case nil: lines.append("\(style.dim("–")) rows        not compared")
            }
            if let hash = report.stateHash { lines.append("  state hash  \(hash)") }
        }
        if let salvaged, let salvage {
            lines.append(
                "\(good) salvaged    \(counted(salvaged.keptCount, "event")) into \(salvage); "
                    + "\(salvaged.damagedCount.grouped) damaged, \(salvaged.missingCount.grouped) missing, "
                    + "\(salvaged.droppedCount.grouped) left behind with them")
        }
        try console.output.write(lines.joined(separator: "\n") + "\n")
    }
}
