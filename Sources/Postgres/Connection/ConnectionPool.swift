internal import TidelogCore
internal import TidelogSynchronization

/// A bounded number of connections to one database. Work waits for a connection without a thread.
final class ConnectionPool: Sendable {
    private let address: DatabaseAddress
    private let limits: DatabaseAddress.Limits
    private let state = Mutex(State())

    private struct State {
        var idle: [Connection] = []
        /// The number of connections that are open or being opened.
        var openCount = 0
        var waiting: [CheckedContinuation<Connection?, Never>] = []
        var lostCount = 0
    }

    init(_ address: DatabaseAddress, _ limits: DatabaseAddress.Limits) {
        (self.address, self.limits) = (address, limits)
    }

    /// Whether work is repeated if its connection was lost.
    enum Repetition {
        /// The work only reads, or its repetition has no further effect.
        case once
        case never
    }

    /// Runs `body` with a connection, on a thread that may block.
    ///
    /// - Throws: ``DataStoreError`` for failures of the database; the other errors of `body`.
    func run<Value: Sendable>(
        _ repetition: Repetition, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        do {
            do { return try await runOnce(body) } catch let failure as PostgresFailure {
                guard failure.isConnectionLost, repetition == .once else { throw failure }
                return try await runOnce(body)
            }
        } catch let failure as PostgresFailure {
            throw failure.asDataStoreError
        }
    }

    private func runOnce<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let kept = await idleConnection()
        return try await Blocking.run { [self] in
            let connection: Connection
            do { connection = try kept ?? Connection(address, limits) } catch {
                end(nil)
                throw error
            }
            defer { end(connection) }
            return try body(connection)
        }
    }

    /// Takes an idle connection. `nil` means that the caller may open a new one.
    private func idleConnection() async -> Connection? {
        await withCheckedContinuation { continuation in
            let found: Connection?? = state.withLock { state in
                if let connection = state.idle.popLast() { return connection }
                if state.openCount < limits.connectionCount {
                    state.openCount += 1
                    return .some(nil)
                }
                state.waiting.append(continuation)
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// Takes a connection back, or notes that opening one has failed. The longest waiting work goes next.
    private func end(_ connection: Connection?) {
        let usable = connection.flatMap { $0.isBroken ? nil : $0 }
        var dropped: [Connection] = []
        let next = state.withLock { state -> CheckedContinuation<Connection?, Never>? in
            if connection != nil, usable == nil {
                state.lostCount += 1
                // The other connections were probably lost too.
                swap(&dropped, &state.idle)
                state.openCount -= dropped.count
            }
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            if let usable { state.idle.append(usable) } else { state.openCount -= 1 }
            return nil
        }
        next?.resume(returning: usable)
        withExtendedLifetime(dropped) {}
    }

    /// How the connections are used at present.
    var metrics: PostgresVersionedStore.Metrics {
        state.withLock { state in
            PostgresVersionedStore.Metrics(
                openCount: state.openCount, idleCount: state.idle.count, waitingCount: state.waiting.count,
                lostCount: state.lostCount)
        }
    }
}
