internal import TidelogCore
internal import TidelogSynchronization

/// Whether the database takes changes, as the last changes and readings have shown.
///
/// Once a second, the database is asked too. So a server that gets no requests, because it was reported as failing, finds out
/// that the failure is over, and makes the pool open new connections.
final class DatabaseHealth: Sendable {
    private let pool: ConnectionPool
    private let state = Mutex<DataStoreError?>(nil)

    /// The time between two questions to the database.
    private static let pause = Duration.seconds(1)
    /// The number of bytes that a full disk must have room for before it counts as no longer full.
    private static let probeSize = 64 << 10

    init(_ pool: ConnectionPool) {
        self.pool = pool
        Task { [weak self] in
            while true {
                try? await Task.sleep(for: Self.pause)
                guard let self else { return }
                await ask()
            }
        }
    }

    /// The failure; `nil` if there is none.
    var failure: DataStoreError? { state.withLock { $0 } }

    /// Notes that a change was written, or the error of one that failed. Only failures of the database itself count.
    func noteChange(_ error: (any Error)?) {
        guard let error else { return state.withLock { $0 = nil } }
        guard let error = error as? DataStoreError, error.isOfWriting || error.isOfConnection else { return }
        state.withLock { $0 = error }
    }

    /// Notes a reading. It cannot show that a database takes changes again.
    func noteReading(_ error: DataStoreError?) {
        state.withLock { state in
            if let error {
                if error.isOfConnection { state = error }
            } else if state?.isOfConnection == true {
                state = nil
            }
        }
    }

    /// Asks the database whether it takes changes.
    func ask() async {
        let hasFailed = failure != nil
        do {
            if hasFailed {
                // A connection from before the failure may still lead to a server that takes no changes.
                try await pool.withNewConnection { try Self.probe($0) }
                pool.renew()
            } else {
                try await pool.run(.once) { connection in
                    let found = try connection.run(.prepared("SELECT current_setting('transaction_read_only') = 'on'"))
                    if try found.bool(0, 0) == true { throw PostgresFailure(sqlState: "25006", message: "") }
                }
            }
            noteChange(nil)
        } catch {
            noteChange(error)
        }
    }

    /// Writes bytes, and takes them back.
    private static func probe(_ connection: Connection) throws {
        // PostgreSQL compresses long values, so the bytes are random.
        let bytes = (0..<probeSize).map { _ in UInt8.random(in: 0 ... .max) }
        let insertion = SQLStatement(
            "INSERT INTO \(DatabaseSchema.own("fact"))(name, bytes) VALUES ($1, $2)",
            [.text("probe \(UInt64.random(in: 0 ... .max))"), .bytes(bytes)])
        _ = try connection.transaction([SQLStatement("BEGIN"), insertion])
        _ = try connection.run(SQLStatement("ROLLBACK"))
    }
}

extension DataStoreError {
    /// Whether the database takes no changes at present, although it can be read.
    var isOfWriting: Bool { code == .readOnly || code == .storageFull }

    /// Whether the database cannot be reached, or does not work.
    var isOfConnection: Bool { code == .databaseUnavailable || code == .inputOutput }
}
