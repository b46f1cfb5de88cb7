import Foundation
import Tidelog
import TidelogSynchronization

/// A device: a store, and an engine that syncs it with a server on this computer.
struct Device: Sendable {
    let store: TidelogStore
    private let engine: SyncEngine
    private let notices: Notices

    /// The notices of the engine, with their times.
    private final class Notices: Sendable {
        struct State {
            /// For each page of records that arrived, the time in nanoseconds and the number of records.
            var pages: [(time: UInt64, count: Int)] = []
            /// For the responses to changes, the time in nanoseconds and the number of changes.
            var responses: [(time: UInt64, count: Int)] = []
            var isReady = false
            var waiter: CheckedContinuation<Void, Never>?
        }

        let state = Mutex(State())

        func take(_ notice: SyncMachine.Notice) {
            switch notice {
            case .received(_, let count): state.withLock { $0.pages.append((Clock.now(), count)) }
            case .sent(let count): state.withLock { $0.responses.append((Clock.now(), count)) }
            case .report(.ready):
                state.withLock { state in
                    state.isReady = true
                    state.waiter.take()?.resume()
                }
            case .report, .failed: break
            }
        }

        func waitUntilReady() async {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    if state.isReady { continuation.resume() } else { state.waiter = continuation }
                }
            }
        }
    }

    /// Makes a device whose engine is stopped. Its store takes up to `records` records from the server at `port`.
    init(_ store: TidelogStore, port: Int, records: Int, _ kind: SyncProtocol) throws {
        guard let endpoint = URL(string: "http://127.0.0.1:\(port)/graphql") else {
            throw UsageError("a port is no part of an address")
        }
        let notices = Notices()
        self.store = store
        self.notices = notices
        // A query that returns the largest allowed number of records counts as truncated. The limit is therefore one higher.
        var configuration = SyncConfiguration(syncMaxRecords: records + 1, syncPageSize: SyncClient.pageLimit)
        configuration.protocol = kind
        engine = try SyncEngine(
            store: store.store, endpoint: endpoint, authorization: .apiKey(ServedPosts.apiKey),
            configuration: configuration, startup: .manual, transport: CurlTransport(), notify: { notices.take($0) })
    }

    /// Sends and receives everything once.
    ///
    /// - Throws: An error if the engine did not finish the sync completely.
    func sync() async throws -> SyncReport {
        let report = await engine.runOnce()
        if let failure = report.failure { throw failure }
        guard report.pending == 0, report.setAside == 0, report.truncated.isEmpty, report.problems.isEmpty else {
            throw ClientFailure("the engine left something: \(report)")
        }
        return report
    }

    /// Starts the engine, and returns when the engine has subscribed and received everything.
    func start() async throws {
        try await engine.start()
        await notices.waitUntilReady()
    }

    /// Stops the engine.
    func stop() async { await engine.stop() }

    /// The nanoseconds between pages, and from `start` to the first page.
    func pageLatencies(since start: UInt64) -> [UInt64] {
        let times = [start] + notices.state.withLock { $0.pages.map(\.time) }
        return zip(times, times.dropFirst()).map { $1 - $0 }
    }

    /// The ratio of the rate of responses to the second half of the changes to that of the first half, which began at `start`.
    func secondToFirstHalf(since start: UInt64) -> Double? {
        let responses = notices.state.withLock { $0.responses }
        let total = responses.reduce(0) { $0 + $1.count }
        var count = 0
        guard let last = responses.last,
            let middle = responses.first(where: { response in
                count += response.count
                return count * 2 >= total
            }), middle.time > start, last.time > middle.time, count < total
        else { return nil }
        let first = Double(count) / Double(middle.time - start)
        return Double(total - count) / Double(last.time - middle.time) / first
    }
}
