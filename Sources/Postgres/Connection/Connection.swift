internal import CPostgres
internal import TidelogPlatform

/// A connection to PostgreSQL. Its methods block the calling thread.
///
/// `@unchecked Sendable` is sound, because ``ConnectionPool`` gives a connection to one piece of work at a time.
final class Connection: @unchecked Sendable {
    private let handle: OpaquePointer
    /// The names of prepared statements, by their text.
    private var prepared: [String: String] = [:]
    /// The number of milliseconds after which the server no longer counts as answering.
    private let patience: Int
    /// Whether the connection can no longer be used.
    private(set) var isBroken = false
    /// The number with which ``ConnectionPool`` tells old connections from new ones.
    let generation: Int

    /// The largest number of prepared statements. Connections with more would cost the database memory.
    private static let preparedLimit = 512

    /// Connects to the database at `address`.
    ///
    /// - Throws: ``PostgresFailure``.
    init(_ address: DatabaseAddress, _ limits: DatabaseAddress.Limits, generation: Int = 0) throws {
        self.generation = generation
        // libpq uses the last value of each setting, so the address can only change the time to connect.
        let names = ["connect_timeout", "dbname", "application_name", "client_encoding", "tcp_user_timeout"]
        let values = ["\(limits.connectTime)", address.text, address.connectionName, "UTF8", "30000"]
        let parameters = names.map { strdup($0) } + [nil]
        let settings = values.map { strdup($0) } + [nil]
        defer { for text in parameters + settings { free(text) } }
        let opened = PQconnectdbParams(parameters.map { UnsafePointer($0) }, settings.map { UnsafePointer($0) }, 1)
        guard let opened else { throw PostgresFailure(sqlState: nil, message: "there is no memory for a connection") }
        handle = opened
        patience = limits.statementTime + 5_000
        tidelog_postgres_ignore_notices(handle)
        guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1
        else { throw lost() }
        _ = try transaction([
            SQLStatement("SET statement_timeout = \(limits.statementTime)"),
            SQLStatement("SET lock_timeout = \(limits.lockTime)"),
            SQLStatement("SET idle_in_transaction_session_timeout = 60000"),
            // Texts of old clients could otherwise be read in another way.
            SQLStatement("SET standard_conforming_strings = on"),
        ])
    }

    deinit { PQfinish(handle) }

    /// Runs one statement in a transaction of its own, or in the transaction that an earlier statement began.
    ///
    /// - Throws: ``PostgresFailure``.
    func run(_ statement: SQLStatement) throws -> SQLResult {
        guard let result = try transaction([statement]).first else { throw lost() }
        return result
    }

    /// Runs statements in one transaction, and sends them together. If one fails, none of them has an effect.
    ///
    /// - Throws: ``PostgresFailure`` with the failure of the first statement that failed.
    func transaction(_ statements: [SQLStatement]) throws -> [SQLResult] {
        precondition(!statements.isEmpty, "a transaction has a statement")
        guard !isBroken else { throw lost() }
        if prepared.count >= Self.preparedLimit { try forgetPrepared() }
        var preparations: [Bool] = []
        for statement in statements { preparations.append(try send(statement)) }
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        var results: [SQLResult] = []
        var failure: PostgresFailure?
        for isPrepared in preparations {
            if isPrepared { _ = try receive(&failure) }
            if let result = try receive(&failure) { results.append(result) }
        }
        let end = SQLResult(try next())
        guard end.status == PGRES_PIPELINE_SYNC else { throw lost() }
        if let failure {
            // A statement that was sent with the failed one may not have been prepared.
            for (statement, isPrepared) in zip(statements, preparations) where isPrepared {
                prepared[statement.text] = nil
            }
            if failure.isConnectionLost { isBroken = true }
            throw failure
        }
        return results
    }

    // MARK: Sending

    /// Sends a statement. Returns whether it was sent to be prepared first.
    private func send(_ statement: SQLStatement) throws -> Bool {
        guard statement.isPrepared else {
            try send(statement.values) { count, types, values, lengths, formats in
                PQsendQueryParams(handle, statement.text, count, types, values, lengths, formats, 1)
            }
            return false
        }
        let known = prepared[statement.text]
        let name = known ?? "s\(nextNumber())"
        if known == nil {
            let types = statement.values.map(\.type)
            guard PQsendPrepare(handle, name, statement.text, Int32(types.count), types) == 1 else { throw lost() }
            prepared[statement.text] = name
        }
        try send(statement.values) { count, _, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1)
        }
        return known == nil
    }

    private var preparedCount = 0

    private func nextNumber() -> Int {
        preparedCount += 1
        return preparedCount
    }

    private typealias Send = (
        Int32, UnsafePointer<Oid>?, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Int32

    private func send(_ parameters: [SQLParameter], _ body: Send) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) + 1 })
        var starts: [Int?] = []
        for parameter in parameters {
            starts.append(parameter.bytes.map { _ in bytes.count })
            if let value = parameter.bytes { bytes += value }
            // An empty value needs an address too.
            bytes.append(0)
        }
        let sent = bytes.withUnsafeBytes { memory in
            let base = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = starts.map { start in start.flatMap { start in base.map { $0 + start } } }
            let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
            return body(
                Int32(parameters.count), parameters.map(\.type), values, lengths,
                Array(repeating: 1, count: parameters.count))
        }
        guard sent == 1 else { throw lost() }
    }

    private func forgetPrepared() throws {
        prepared.removeAll()
        _ = try transaction([SQLStatement("DEALLOCATE ALL")])
    }

    // MARK: Receiving

    /// Receives the result of a statement. A failure is kept if it is the first one.
    private func receive(_ failure: inout PostgresFailure?) throws -> SQLResult? {
        let result = SQLResult(try next())
        guard PQgetResult(handle) == nil else { throw lost() }
        switch result.status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return result
        case PGRES_PIPELINE_ABORTED: return nil
        default:
            if failure == nil { failure = result.failure }
            return nil
        }
    }

    /// Waits for the next result, and sends the unsent bytes.
    private func next() throws -> OpaquePointer {
        let deadline = ContinuousClock.now.advanced(by: .milliseconds(patience))
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if PQisBusy(handle) == 0 {
                guard let result = PQgetResult(handle) else { throw lost() }
                return result
            }
            let rest = deadline - .now
            guard rest > .zero else { throw lost("it does not answer") }
            let events = Int16(POLLIN) | (unsent == 1 ? Int16(POLLOUT) : 0)
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let milliseconds = Int32(clamping: rest.components.seconds * 1_000 + 1)
            guard poll(&descriptor, 1, milliseconds) >= 0 || errno == EINTR else { throw lost() }
            if descriptor.revents & ~Int16(POLLOUT) != 0, PQconsumeInput(handle) == 0 { throw lost() }
        }
    }

    /// The failure of a connection that can no longer be used.
    private func lost(_ reason: String? = nil) -> PostgresFailure {
        isBroken = true
        return PostgresFailure(sqlState: nil, message: reason ?? String(cString: PQerrorMessage(handle)))
    }
}
