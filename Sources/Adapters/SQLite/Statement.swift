internal import CSQLite
@_spi(Adapters) internal import TidelogCore
internal import TidelogSQLTranslation

/// One prepared statement.
///
/// Unless a method says otherwise, bound memory is not copied. It must stay valid until the statement is reset.
final class Statement {
    private let handle: OpaquePointer
    private var bindFailure = SQLITE_OK

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row. Returns false if there is none.
    @inline(__always)
    func step() throws -> Bool {
        guard bindFailure == SQLITE_OK else { throw failure(bindFailure) }
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Runs a statement that returns no rows, and resets it.
    @inline(__always)
    func run() throws {
        defer { reset() }
        while try step() {}
    }

    @inline(__always)
    func reset() {
        sqlite3_reset(handle)
        bindFailure = SQLITE_OK
    }

    /// Clears the bound values.
    func clearBindings() { sqlite3_clear_bindings(handle) }

    /// The number of rows that the last change of this statement's connection changed.
    var changedRowCount: Int32 { sqlite3_changes(sqlite3_db_handle(handle)) }

    private func failure(_ code: Int32) -> DataStoreError {
        let connection = sqlite3_db_handle(handle)
        return .sqlite(code == SQLITE_ERROR ? sqlite3_extended_errcode(connection) : code, on: connection)
    }

    @inline(__always)
    private func note(_ code: Int32) { if code != SQLITE_OK { bindFailure = code } }
}

// MARK: - Binding, with parameters that count from 1
extension Statement {
    @inline(__always)
    func bindMissing(at index: Int32) { note(sqlite3_bind_null(handle, index)) }

    @inline(__always)
    func bind(_ value: Int64, at index: Int32) { note(sqlite3_bind_int64(handle, index, value)) }

    @inline(__always)
    func bind(_ value: Double, at index: Int32) { note(sqlite3_bind_double(handle, index, value)) }

    /// Binds text, which may contain U+0000.
    @inline(__always)
    func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let base = bytes.baseAddress else { return note(sqlite3_bind_text(handle, index, "", 0, nil)) }
        let text = base.assumingMemoryBound(to: CChar.self)
        note(sqlite3_bind_text(handle, index, text, Int32(truncatingIfNeeded: bytes.count), nil))
    }

    @inline(__always)
    func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        guard let base = bytes.baseAddress else { return note(sqlite3_bind_zeroblob(handle, index, 0)) }
        note(sqlite3_bind_blob(handle, index, base, Int32(truncatingIfNeeded: bytes.count), nil))
    }

    /// Binds a copy of `value`.
    func bind(copying value: Condition.Value, at index: Int32) {
        switch value {
        case .int(let number): bind(number, at: index)
        case .double(let number): bind(number, at: index)
        case .bool(let flag): bind(Int64(flag ? 1 : 0), at: index)
        case .text(let bytes):
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, !bytes.isEmpty else { return bindText(bytes, at: index) }
                note(
                    sqlite3_bind_text(
                        handle, index, base.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count),
                        tidelog_sqlite3_transient()))
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, !bytes.isEmpty else {
                    return note(sqlite3_bind_zeroblob(handle, index, 0))
                }
                note(
                    sqlite3_bind_blob(
                        handle, index, base, Int32(truncatingIfNeeded: bytes.count), tidelog_sqlite3_transient()))
            }
        }
    }
}

// MARK: - The present row, whose bytes are valid until the next step or reset, with columns that count from 0
extension Statement {
    enum ColumnType {
        case missing, int, double, text, blob
    }

    @inline(__always)
    func type(_ column: Int32) -> ColumnType {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .int
        case SQLITE_FLOAT: .double
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .missing
        }
    }

    @inline(__always)
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    @inline(__always)
    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The bytes of a text column.
    @inline(__always)
    func text(_ column: Int32) -> UnsafeRawBufferPointer {
        let base = UnsafeRawPointer(sqlite3_column_text(handle, column))
        return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// The bytes of a blob column.
    @inline(__always)
    func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// A column as a `String`, for values that SQLite itself reports.
    func string(_ column: Int32) -> String { String(decoding: text(column), as: UTF8.self) }
}
