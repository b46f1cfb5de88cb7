internal import TidelogCore
internal import TidelogFoundation

/// Compares the records of a store with the server's. It keeps one page of them in memory, and a hash of each record's name.
struct StoreComparison {
    /// How many records are requested at the same time.
    private static let fetchCount = 16
    /// The largest difference that the clocks of a device and a server may have, in milliseconds.
    private static let clockDifference: Int64 = 60_000
    /// How often a record is requested again if it changed during the request.
    private static let roundCount = 10

    private let syncStore: SyncStore
    private let server: PatientServer
    private let pageSize: Int
    private let isRepairing: Bool
    private let progress: (Int) -> Void
    private var result = SyncVerification()

    init(
        _ syncStore: SyncStore, _ server: PatientServer, pageSize: Int, isRepairing: Bool,
        progress: @escaping (Int) -> Void
    ) {
        self.syncStore = syncStore
        self.server = server
        self.pageSize = pageSize
        (self.isRepairing, self.progress) = (isRepairing, progress)
    }

    /// Compares every model.
    ///
    /// - Parameter report: Called with each record that differs.
    /// - Throws: ``SyncError``; ``DataStoreError``; `CancellationError`; an error of `report`.
    mutating func run(_ report: (SyncDifference) async throws -> Void) async throws -> SyncVerification {
        let lastSyncs = try await syncStore.lastSyncs()
        // Without versions, the last sync is known by this device's clock alone.
        let recently = Int64(Date().timeIntervalSince1970 * 1_000) - Self.clockDifference
        for name in syncStore.models.names {
            do {
                let lastSync = syncStore.hasVersions ? lastSyncs[name] : recently
                try await compare(name, lastSync: lastSync, report)
            } catch let refusal as PatientServer.Refusal {
                incomplete(name, refusal.reason)
            }
        }
        return result
    }

    private mutating func compare(
        _ name: String, lastSync: Int64?, _ report: (SyncDifference) async throws -> Void
    ) async throws {
        var seen: Set<UInt64> = []
        var query = Inbox.Query(model: name, number: 0, lastSync: nil, nextToken: nil, limit: pageSize)
        repeat {
            try Task.checkCancellation()
            let page = try await server.page(query)
            if page.unusableCount > 0 { incomplete(name, "the server has records that are unusable") }
            for record in page.records { seen.insert(record.reference.stableHash) }
            let (suspects, count) = try await syncStore.suspects(among: page.records)
            result.compared += count
            try await settle(suspects, lastSync: lastSync, report)
            progress(result.compared)
            if let token = page.nextToken, token == query.nextToken {
                throw PatientServer.Refusal(reason: "the server gives the same page again and again")
            }
            query.nextToken = page.nextToken
        } while query.nextToken != nil
        var place: [UInt8]?
        repeat {
            try Task.checkCancellation()
            let unseen = try await syncStore.references(of: name, notIn: seen, after: place, limit: pageSize)
            result.compared += unseen.references.count
            try await settle(unseen.references, lastSync: lastSync, report)
            progress(result.compared)
            place = unseen.next
        } while place != nil
    }

    /// Finds out which of these records really differ, and repairs them if this is requested.
    private mutating func settle(
        _ suspects: [RecordReference], lastSync: Int64?, _ report: (SyncDifference) async throws -> Void
    ) async throws {
        var open = suspects
        for _ in 0..<Self.roundCount where !open.isEmpty {
            // The log is read before the server is asked. A record that changes after this point is requested again.
            let pending = try await syncStore.contents().pending
            let sendable = open.filter { !pending.holdsRow(of: $0) }
            result.unsent += open.count - sendable.count
            let findings = try await syncStore.findings(
                about: try await answers(about: sendable), pending, lastSync: lastSync, isRepairing: isRepairing)
            result.behind += findings.behind
            for difference in findings.differences {
                result.differences += 1
                if difference.isRepaired { result.repaired += 1 }
                try await report(difference)
            }
            open = findings.overtaken
        }
        result.behind += open.count
    }

    /// Requests the server's records. A record that the server refuses to return is left out and reported as a problem.
    private mutating func answers(about references: [RecordReference]) async throws -> [ComparedRecord] {
        var answers: [ComparedRecord] = []
        var rest = references[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.fetchCount)
            rest.removeFirst(part.count)
            let results = try await withThrowingTaskGroup(of: (Int, Answer).self) { [server] group in
                for (index, reference) in part.enumerated() {
                    group.addTask {
                        let answer: Answer
                        do {
                            answer = .success(try await server.record(reference))
                        } catch let refusal as PatientServer.Refusal {
                            answer = .failure(refusal)
                        }
                        return (index, answer)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, reference) in part.enumerated() {
                switch results[index] {
                case .success(let record)?: answers.append(ComparedRecord(reference: reference, server: record))
                case .failure(let refusal)?: incomplete(reference.model, refusal.reason)
                case nil: throw SyncError.badAnswer("There is no answer about \(reference.model) \(reference.id).")
                }
            }
        }
        return answers
    }

    private typealias Answer = Result<ServerRecord?, PatientServer.Refusal>

    private mutating func incomplete(_ model: String, _ reason: String) {
        let problem = "\(model) was not compared completely: \(reason)."
        if !result.problems.contains(problem) { result.problems.append(problem) }
    }
}

extension StoreComparison {
    /// A record that may differ, with the server's record.
    struct ComparedRecord: Sendable {
        let reference: RecordReference
        /// The server's record; `nil` if the server has none.
        let server: ServerRecord?
    }
}
