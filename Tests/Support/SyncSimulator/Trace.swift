import TidelogCore
import TidelogSync

/// The steps of a simulation, as a hash, and as text for a failure.
struct Trace {
    private(set) var hash = [UInt8]().stableHash
    private(set) var counts: [String: Int] = [:]
    private(set) var lines: [String] = []
    /// How often each case of the machine's inputs and actions happened.
    private(set) var cases: [String: Int] = [:]
    private static let lineCount = 1_000

    /// Records a step. No part of it may depend on a store's random ids.
    mutating func note(_ time: Int64, _ client: Int?, _ kind: String, _ detail: @autoclosure () -> String = "") {
        let line = "\(time) \(client.map { "client \($0)" } ?? "server") \(kind) \(detail())"
        hash = line.utf8.stableHash(after: hash)
        counts[kind, default: 0] += 1
        if lines.count >= Self.lineCount { lines.removeFirst(Self.lineCount / 2) }
        lines.append(line)
    }

    mutating func cover(_ input: SyncMachine.Input) {
        cases["input " + input.caseName, default: 0] += 1
        if case .answer(let answer, _) = input { cases["answer " + answer.caseName, default: 0] += 1 }
    }

    mutating func cover(_ request: SyncMachine.Request) {
        cover(action: "request")
        cases["request " + request.caseName, default: 0] += 1
    }

    mutating func cover(action: String) { cases["action " + action, default: 0] += 1 }
}
