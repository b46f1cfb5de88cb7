internal import TidelogCore
internal import TidelogServer
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
        /// Connections with an earlier number are closed after their work.
        var generation = 0
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
            do { connection = try kept ?? open() } catch {
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
        var dropped: [Connection] = []
        let (next, usable) = state.withLock { state -> (CheckedContinuation<Connection?, Never>?, Connection?) in
            let usable = connection.flatMap { $0.isBroken || $0.generation < state.generation ? nil : $0 }
            if connection?.isBroken == true {
                state.lostCount += 1
                // The other connections were probably lost too.
                swap(&dropped, &state.idle)
                state.openCount -= dropped.count
            }
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), usable) }
            if let usable { state.idle.append(usable) } else { state.openCount -= 1 }
            return (nil, usable)
        }
        next?.resume(returning: usable)
        withExtendedLifetime(dropped) {}
    }

    private func open() throws -> Connection {
        let generation = state.withLock { $0.generation }
        return try Connection(address, limits, generation: generation)
    }

    /// Replaces all connections by new ones, each after its present work.
    func renew() {
        var dropped: [Connection] = []
        state.withLock { state in
            state.generation += 1
            swap(&dropped, &state.idle)
            state.openCount -= dropped.count
        }
        withExtendedLifetime(dropped) {}
    }

    /// Runs `body` with a new connection that is closed afterwards.
    ///
    /// - Throws: ``DataStoreError`` for failures of the database.
    func withNewConnection<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        do { return try await Blocking.run { [self] in try body(try open()) } } catch let failure as PostgresFailure {
            throw failure.asDataStoreError
        }
    }

    /// The use of the connections at present.
    var counts: ConnectionCounts {
        state.withLock { state in
            ConnectionCounts(
                openCount: state.openCount, idleCount: state.idle.count, waitingCount: state.waiting.count,
                lostCount: state.lostCount)
        }
    }
}
