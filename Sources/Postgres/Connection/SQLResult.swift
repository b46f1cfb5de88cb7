internal import CPostgres
internal import TidelogCore

/// The rows of a statement, in PostgreSQL's binary format. The memory of the rows belongs to libpq.
final class SQLResult {
    private let result: OpaquePointer

    /// The rows in `result`, which this object frees at the end.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The number of rows.
    var count: Int { Int(PQntuples(result)) }

    /// The number of rows that the statement changed.
    var changedCount: Int {
        guard let text = PQcmdTuples(result) else { return 0 }
        return Int(String(cString: text)) ?? 0
    }

    /// The bytes of a value; `nil` for NULL. They are valid as long as this object.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }

    /// A value of type `bigint`.
    func int(_ row: Int, _ column: Int) throws -> Int64? {
        try bytes(row, column).map { Int64(bitPattern: try Self.word($0)) }
    }

    /// A value of type `double precision`.
    func double(_ row: Int, _ column: Int) throws -> Double? {
        try bytes(row, column).map { Double(bitPattern: try Self.word($0)) }
    }

    /// A value of type `boolean`.
    func bool(_ row: Int, _ column: Int) throws -> Bool? {
        try bytes(row, column).map { bytes in
            guard bytes.count == 1 else { throw Self.otherType }
            return bytes[0] != 0
        }
    }

    /// A value of type `text`.
    func text(_ row: Int, _ column: Int) -> String? { bytes(row, column).map { String(decoding: $0, as: UTF8.self) } }

    private static func word(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
        guard bytes.count == 8 else { throw otherType }
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    private static var otherType: DataStoreError {
        .damagedRows("A column of the database has another type than the server gave it.")
    }
}

extension SQLResult {
    /// How the statement ended.
    var status: ExecStatusType { PQresultStatus(result) }

    /// The failure, if the statement failed.
    var failure: PostgresFailure {
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        return PostgresFailure(
            sqlState: field(Int32(tidelog_postgres_sql_state)),
            message: field(Int32(tidelog_postgres_primary_message)) ?? "")
    }
}
