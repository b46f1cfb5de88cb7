internal import TidelogCore

/// A server whose requests are repeated until it gives a usable answer, for a limited time.
struct PatientServer: Sendable {
    /// The error if the server will not answer the question.
    struct Refusal: Error {
        /// The reason, as a part of a sentence.
        let reason: String
    }

    /// The error if the API has no versions, although the server is asked for them.
    struct LacksVersions: Error {}

    private let server: SyncServer
    private let patience: Duration
    private let credentialTries: Int

    init(_ server: SyncServer, patience: Duration, credentialTries: Int) {
        self.server = server
        self.patience = patience
        self.credentialTries = credentialTries
    }

    /// A page of records.
    ///
    /// - Throws: ``Refusal``; ``SyncError``; `CancellationError`.
    func page(_ query: Inbox.Query) async throws -> Inbox.Page {
        var tries = Tries()
        while true {
            let answer = await server.page(query)
            switch answer.content {
            case .page(let page): return page
            case .lacksVersions: throw LacksVersions()
            case .lacksIndex: preconditionFailure("all records are asked for without an index")
            case .tokenRefused: throw Refusal(reason: "the server has forgotten which page was asked for last")
            case .refused(_, let message): throw Refusal(reason: message)
            case .failed(let failure): try await pause(&tries, answer.failure, failure.retryAfter)
            case .unauthenticated: try await pauseForCredentials(&tries, answer.failure)
            }
        }
    }

    /// A record; `nil` if the server has none with the id.
    ///
    /// - Throws: ``Refusal``; ``SyncError``; `CancellationError`.
    func record(_ reference: RecordReference) async throws -> ServerRecord? {
        var tries = Tries()
        while true {
            let answer = await server.fetch(reference)
            switch answer.content {
            // Reads without versions may miss a record that was just created.
            case .record(nil) where !server.syncProtocol.hasVersions && !tries.isConfirming:
                tries.isConfirming = true
                try await Task.sleep(for: .milliseconds(Inbox.staleWait))
            case .record(let record): return record
            case .refused(_, let message): throw Refusal(reason: message)
            case .failed(let wait):
                // The server answered, but asking again would not make the answer usable.
                guard answer.failure != nil else { throw Refusal(reason: "the server's record is unusable") }
                try await pause(&tries, answer.failure, wait)
            case .unauthenticated: try await pauseForCredentials(&tries, answer.failure)
            }
        }
    }

    // MARK: Waiting

    /// The tries for one question.
    private struct Tries {
        var count = 0
        /// Whether the question is asked a second time, because the first answer may be out of date.
        var isConfirming = false
        let start = ContinuousClock.now
    }

    private func pause(_ tries: inout Tries, _ failure: RequestFailure?, _ wait: Int64?) async throws {
        tries.count += 1
        let wait = wait ?? Backoff().wait(after: tries.count, jitter: .random(in: 0 ... .max))
        guard ContinuousClock.now - tries.start + .milliseconds(wait) < patience else {
            throw SyncError.unreachable(failure)
        }
        try await Task.sleep(for: .milliseconds(wait))
    }

    private func pauseForCredentials(_ tries: inout Tries, _ failure: RequestFailure?) async throws {
        guard tries.count + 1 < credentialTries else { throw SyncError.unauthorized(failure) }
        try await pause(&tries, failure, nil)
    }
}
