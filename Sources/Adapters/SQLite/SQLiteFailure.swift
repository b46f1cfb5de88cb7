internal import CSQLite
@_spi(Adapters) internal import TidelogCore
internal import TidelogPlatform

/// The error that SQLite returned. It is the underlying error of this adapter's ``DataStoreError``.
public struct SQLiteFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32

    /// The code and SQLite's description of it. It never contains a statement or a value.
    public var description: String { "SQLite \(code), \(String(cString: sqlite3_errstr(code)))" }
}

extension DataStoreError {
    /// The error for SQLite's extended result `code` on `connection`.
    static func sqlite(_ code: Int32, on connection: OpaquePointer?) -> DataStoreError {
        let systemError = connection.map { sqlite3_system_errno($0) } ?? 0
        let failure = SQLiteFailure(code: code)
        switch code & 0xFF {
        case SQLITE_FULL: return full(failure)
        case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: return full(failure)
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_SCHEMA, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
            return damagedRows("SQLite cannot read them.", failure)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return DataStoreError(
                .locked, "The rows are in use by another writer.", underlying: failure,
                recovery: "Close the other writer and try again.")
        case SQLITE_READONLY:
            return DataStoreError(
                .readOnly, "The rows cannot be written.", underlying: failure,
                recovery: "Check the permissions of the store's directory.")
        default:
            return DataStoreError(
                .inputOutput, "An operation on the rows failed.", underlying: failure,
                recovery: "Check the disk and the permissions of the store's directory.")
        }
    }

    /// The error for a file that could not take more disk space.
    static func noSpace(_ code: Int32) -> DataStoreError { full(SQLiteFailure(code: code)) }

    private static func full(_ failure: SQLiteFailure) -> DataStoreError {
        DataStoreError(
            .storageFull, "The disk or the quota of the rows is full.", underlying: failure,
            recovery: "Free some space and try again.")
    }

    /// The error for rows that this adapter did not write. `reason` is a sentence.
    static func damagedRows(_ reason: String, _ underlying: (any Error)? = nil) -> DataStoreError {
        DataStoreError(
            .damaged, "The stored rows are damaged. \(reason)", underlying: underlying,
            recovery: "Rebuild the rows from the log.")
    }
}
