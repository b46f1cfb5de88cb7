package import TidelogCore

/// A failure that PostgreSQL reported, or the loss of the connection.
struct PostgresFailure: Error {
    /// The five characters with which PostgreSQL names the failure; `nil` if the connection failed.
    let sqlState: String?
    /// PostgreSQL's own words. They may contain a value, so only some failures repeat them.
    let message: String

    /// Whether the connection can no longer be used.
    var isConnectionLost: Bool { sqlState.map { $0.hasPrefix("08") || $0.hasPrefix("57P") } ?? true }

    /// Whether another transaction came between, so that the same work may succeed if it is begun again.
    var isLostRace: Bool {
        guard let sqlState else { return false }
        return [Self.uniqueViolation, "40001", "40P01"].contains(sqlState)
    }

    /// Whether the database refused the values of a statement, rather than to work at all.
    var isOfValues: Bool { sqlState.map { ["22", "23", "54"].contains($0.prefix(2)) } ?? false }

    static let uniqueViolation = "23505"

    /// The failure in the form that callers of a store know.
    var asDataStoreError: DataStoreError {
        switch sqlState {
        case nil: .databaseUnavailable(message)
        case "53100": error(.storageFull, "The disk of the database is full.", "Make room on the database's disk.")
        case "22021", "22P05":
            error(
                .invalidValue, "A value contains the character U+0000, which PostgreSQL cannot store.",
                "Remove the character.")
        case "25006":
            error(.readOnly, "The database takes no changes; it may be a replica.", "Give the address of the primary.")
        case "57014":
            error(.databaseBusy, "A statement of the database took longer than its time limit.", "Try again later.")
        case "55P03":
            error(
                .databaseBusy, "Another transaction of the database holds a lock for too long.",
                "End the long transaction in the database; pg_stat_activity lists it.")
        case "54000":
            error(
                .invalidValue, "A record cannot be stored: a text of an indexed field is too long for PostgreSQL.",
                "Store a shorter text in the field.")
        case let state? where isConnectionLost || state.hasPrefix("53") || state.hasPrefix("28") || state == "3D000":
            .databaseUnavailable(message)
        case let state?:
            error(
                .inputOutput, "The database refused a statement (SQLSTATE \(state)).",
                "The log of the database has the reason.")
        }
    }

    private func error(_ code: DataStoreError.Code, _ message: String, _ recovery: String) -> DataStoreError {
        DataStoreError(code, message, recovery: recovery)
    }
}

extension DataStoreError.Code {
    /// The database cannot be reached at present.
    package static let databaseUnavailable = Self("databaseUnavailable")
    /// The database answers, but not within the time limit of the statement.
    package static let databaseBusy = Self("databaseBusy")
}

extension DataStoreError {
    static func databaseUnavailable(_ reason: String) -> DataStoreError {
        let reason = reason.split(whereSeparator: \.isNewline).first.map { String($0) } ?? "the connection ended"
        return DataStoreError(
            .databaseUnavailable, "The database cannot be reached: \(reason).",
            recovery:
                "Check that the database runs and that its address is right. The server connects again by itself.")
    }

    /// A stored value that the server cannot have written.
    static func damagedRows(_ message: String) -> DataStoreError {
        DataStoreError(.damaged, message, recovery: "Restore the database from a backup.")
    }
}
