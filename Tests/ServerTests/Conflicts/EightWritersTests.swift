import SeededNumbers
import TestStores
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Eight writers")
struct EightWritersTests {
    private typealias Player = WriterOracle.Player
    private typealias Operation = WriterOracle.Operation

    /// A requested change, its response, and the places of the log's head before and after the request.
    private struct Trial: Sendable {
        let operation: Operation
        let response: ServiceResponse
        let before: UInt64
        let after: UInt64

        /// The record in the response; `nil` if the response is a refusal.
        var player: Player? {
            guard response.errors.isEmpty, case .object(let data) = response.data else { return nil }
            return data.values.first.flatMap { Player($0) }
        }
    }

    /// The state of a record from one place of the log until its next change.
    private struct State {
        let place: UInt64
        let player: Player?
    }

    @Test(
        "concurrent changes have the same results as if they came one after the other in the order of the log",
        arguments: Adapter.persistent, WriterOracle.Strategy.allCases)
    func writers(adapter: Adapter, strategy: WriterOracle.Strategy) async throws {
        var options = ServiceOptions()
        options.strategy =
            switch strategy {
            case .automerge: .autoMerge
            case .optimistic: .optimistic
            case .custom: .custom(Self.decide)
            }
        let served = try await ServedSchema(
            "type Player @model { id: ID! name: String jersey: Int marks: [String] }", on: adapter, options: options)
        let seed = UInt64.random(in: 0...UInt64.max)
        let trials = try await withThrowingTaskGroup(of: [Trial].self) { group in
            for writer in 0..<8 {
                group.addTask { try await Self.write(writer, SeededGenerator(seed &+ UInt64(writer)), served) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let histories = try await Self.histories(served)
        var kinds: Set<String> = []
        for (id, history) in histories {
            let concerned = trials.filter { $0.operation.id == id }
            kinds.formUnion(
                Self.check(concerned, history, WriterOracle(strategy: strategy), "seed \(seed), record \(id)"))
        }
        // If one of these outcomes never occurred, the test has not checked it.
        let expected: Set =
            strategy == .custom
            ? ["written", "kept", "ConflictUnhandled", "ConflictError", "ConditionalCheckFailedException"]
            : ["written", "kept", "ConflictUnhandled", "ConditionalCheckFailedException"]
        #expect(kinds.isSuperset(of: expected), "seed \(seed): \(kinds)")
    }

    @Sendable private static func decide(_ conflict: ConflictCase) async throws -> ConflictCase.Verdict {
        try await Task.sleep(for: .microseconds(Int.random(in: 0...500)))
        let (new, old) = (conflict.newItem, conflict.existingItem)
        switch WriterOracle.verdict(on: old.version, jersey: new["jersey"]?.integer) {
        case 0: return .reject
        case 1: return conflict.mutation == .delete ? .record(old) : .remove
        default:
            if conflict.mutation == .delete { return .remove }
            var record = old
            record["jersey"] = .int((old["jersey"]?.integer ?? 0) + (new["jersey"]?.integer ?? 0))
            record["marks"] = new["marks"]
            return .record(record)
        }
    }

    private static func write(
        _ writer: Int, _ random: SeededGenerator, _ served: ServedSchema
    ) async throws -> [Trial] {
        var random = random
        var versions: [String: Int64] = [:]
        var trials: [Trial] = []
        for number in 0..<60 {
            let operation = Operation(&random, mark: "\(writer)-\(number)", versions: versions)
            let before = try served.store.head.sequence.value
            let response = try await served.service.respond(
                to: ServiceRequest(operation.query, variables: operation.variables), from: .apiKey)
            let after = try served.store.head.sequence.value
            let trial = Trial(operation: operation, response: response, before: before, after: after)
            trials.append(trial)
            if let version = trial.player?.version ?? response.errors.first?.data?.version {
                versions[operation.id] = version
            }
        }
        return trials
    }

    /// The states of each record, in the order of the log.
    private static func histories(_ served: ServedSchema) async throws -> [String: [State]] {
        var histories: [String: [State]] = [:]
        for id in 0..<4 { histories["\(id)"] = [State(place: 0, player: nil)] }
        let head = try served.store.head.sequence
        for try await event in served.store.events(after: .zero) {
            if event.kind == .saved, let record = event.record, record.model == "Player",
                case .string(let id)? = record["id"]
            {
                histories[id]?.append(State(place: event.sequence.value, player: Player(record)))
            }
            if event.sequence >= head { break }
        }
        return histories
    }

    /// Checks every change of a record, and every response. Returns the kinds of outcome that occurred.
    private static func check(
        _ trials: [Trial], _ history: [State], _ oracle: WriterOracle, _ place: String
    ) -> Set<String> {
        var kinds: Set<String> = []
        // For each change in the log, at least one request explains it, and the oracle computes the same change.
        for (before, after) in zip(history, history.dropFirst()) {
            let makers = trials.filter { trial in
                guard trial.player == after.player, trial.after >= after.place, trial.before < after.place else {
                    return false
                }
                return trial.operation.kind == .delete
                    ? after.player?.isDeleted == true : after.player?.marks?.last == trial.operation.mark
            }
            let expected = Outcome.written(after.player)
            #expect(
                makers.contains { Outcome(oracle.outcome($0.operation, on: before.player)) == expected },
                "\(place): nothing explains \(String(describing: after.player)) after \(String(describing: before.player))"
            )
        }
        // Each response fits a state that the record had during the request.
        for trial in trials {
            let start = history.lastIndex { $0.place <= trial.before } ?? 0
            let states = history[start...].prefix { $0.place <= trial.after || $0.place <= trial.before }
            let seen = Outcome(trial.response, trial.player)
            let changes = states.count - 1
            let isGivenUp = seen == .refused("MaxConflicts") && changes >= 5 && oracle.strategy == .custom
            let isExplained = states.contains { state in
                switch (oracle.outcome(trial.operation, on: state.player), seen) {
                case (.written(let player), .given(let given)), (.kept(let player), .given(let given)):
                    player == given
                case (.refused(let type), .refused(let seenType)):
                    // If the error has a version, it is the version of this state.
                    type == seenType
                        && (trial.response.errors.first?.data?.version).map { $0 == state.player?.version } ?? true
                default: false
                }
            }
            #expect(isGivenUp || isExplained, "\(place): \(trial.operation) gave \(seen), of \(Array(states))")
            #expect(trial.response.errors.count <= 1)
            switch seen {
            case .refused(let type): kinds.insert(type)
            case .given(let player):
                #expect(history.contains { $0.player == player }, "\(place): \(player) was never stored")
                kinds.insert(history.contains { $0.place > trial.before && $0.player == player } ? "written" : "kept")
            case .written: break
            }
        }
        return kinds
    }

    /// The outcome of a response or of the oracle, in one form, so that the two can be compared.
    private enum Outcome: Equatable {
        case written(Player?)
        case given(Player)
        case refused(String)

        init?(_ outcome: WriterOracle.Outcome) {
            guard case .written(let player) = outcome else { return nil }
            self = .written(player)
        }

        init(_ response: ServiceResponse, _ player: Player?) {
            self = player.map { .given($0) } ?? .refused(response.errors.first?.errorType ?? "")
        }
    }
}

extension FieldValue {
    /// The number, if the value is an integer.
    fileprivate var integer: Int64? {
        if case .int(let number) = self { number } else { nil }
    }
}

extension ResponseValue {
    /// The version, if the value is the record in an error.
    fileprivate var version: Int64? {
        guard case .object(let object) = self else { return nil }
        return object["_version"]?.number
    }
}

extension WriterOracle.Player {
    /// The player in a response.
    fileprivate init?(_ value: ResponseValue) {
        guard case .object(let object) = value, let version = object["_version"]?.number else { return nil }
        self.init(
            name: object["name"]?.text, jersey: object["jersey"]?.number,
            marks: object["marks"] == .null ? nil : object["marks"]?.elements.compactMap(\.text), version: version,
            isDeleted: object["_deleted"] == .bool(true))
    }

    /// The player in a stored record.
    fileprivate init(_ record: Record) {
        var marks: [String]?
        if case .list(let elements)? = record["marks"] { marks = elements.compactMap { $0?.text } }
        self.init(
            name: record["name"]?.text, jersey: record["jersey"]?.integer, marks: marks, version: record.version,
            isDeleted: record.isTombstone)
    }
}
