import Foundation
import Tidelog

/// Reads a store while another process writes it. Every snapshot must obey the rule of the `batch` workload: the sum is the
/// number of items saved so far. A snapshot that mixes commits breaks the rule.
///
/// It prints `sees SEQUENCE` for each new sequence number, and `error CODE` if a read failed.
struct Reader {
    private let directory: URL
    private let adapter: AdapterFactory
    private let seconds: Double
    /// How many states of the store the reader waits for; `nil` if it reads for a time.
    private let stateCount: Int?
    /// Whether the process stops itself in its first snapshot until it receives SIGCONT.
    private let stopsInFirstSnapshot: Bool

    init(_ arguments: [String], stopsInFirstSnapshot: Bool = false) {
        directory = URL(fileURLWithPath: arguments[1])
        adapter = StoreVictim.factory(arguments[2])
        stateCount = arguments[3].hasSuffix(" states") ? Int(arguments[3].dropLast(" states".count)) : nil
        seconds = Double(arguments[3]) ?? 1
        self.stopsInFirstSnapshot = stopsInFirstSnapshot
    }

    func run() async throws {
        let store = try await DataStore.open(
            at: directory, adapter: adapter, configuration: DataStoreConfiguration(isReadOnly: true))
        do {
            try await store.save(Record(model: "Sum", values: ["id": "x", "value": 1]))
            throw Wrong("a reader could write")
        } catch let error as DataStoreError where error.code == .readOnly {}
        let end = ContinuousClock.now + .seconds(seconds)
        var (last, seenCount) = (SequenceNumber.zero, 0)
        repeat {
            let stops = stopsInFirstSnapshot && last == .zero
            let sequence = try await store.read { snapshot in
                let sequence = try snapshot.sequence
                let before = try snapshot.stateHash()
                try check(snapshot)
                if stops { raise(SIGSTOP) }
                guard try snapshot.sequence == sequence, try snapshot.stateHash() == before else {
                    throw Wrong("a snapshot changed")
                }
                return sequence
            }
            guard sequence >= last else { throw Wrong("\(sequence) was seen after \(last)") }
            if sequence > last {
                StoreVictim.say("sees \(sequence)")
                seenCount += 1
            }
            last = sequence
            try await Task.sleep(for: .milliseconds(1))
        } while stateCount.map { seenCount < $0 } ?? (ContinuousClock.now < end)
        try await store.close()
        StoreVictim.say("closed")
    }

    private func check(_ snapshot: StoreSnapshot) throws {
        guard case .int(let sum)? = try snapshot.record("Sum", id: "sum")?["value"] else { return }
        let items = try snapshot.fetch(Record.all(of: "Item"))
        guard case .int(let last)? = items.compactMap({ $0["number"] }).max(by: { $0.number < $1.number }) else {
            throw Wrong("a sum without items")
        }
        let expected = Workload.batch.changes(Int(last)).compactMap { change -> FieldValue? in
            if case .save(let record) = change, record.model == "Sum" { record["value"] } else { nil }
        }
        guard expected == [.int(sum)] else { throw Wrong("the sum \(sum) is not that of commit \(last)") }
        let deleted = min(2, 2) * max(0, Int(last) - 2)
        guard items.count == Int(sum) - deleted else {
            throw Wrong("\(items.count) items, \(sum) saved, \(deleted) gone")
        }
    }
}

extension FieldValue {
    fileprivate var number: Int64 {
        if case .int(let number) = self { number } else { 0 }
    }
}
