internal import CSQLite
@_spi(Adapters) internal import TidelogCore

/// The function of SQL that says whether a text contains another one.
///
/// SQLite's function `instr` compares the texts at each place, and it ends a text at U+0000 unless the text was copied to a
/// blob.
enum ContainsFunction {
    static let name = "tidelog_contains"

    /// Adds the function to a connection. Returns the result code of SQLite.
    static func add(to connection: OpaquePointer) -> Int32 {
        // Only statements of this connection may call it, and no part of the file's schema.
        let options = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        return sqlite3_create_function_v2(
            connection, name, 2, options, nil,
            { context, _, arguments in
                // A missing text leaves the result NULL, as with the functions of SQLite.
                guard let text = arguments?[0], let part = arguments?[1], sqlite3_value_type(text) != SQLITE_NULL
                else { return }
                sqlite3_result_int(
                    context,
                    ByteSearch.contains(ContainsFunction.bytes(of: text), ContainsFunction.bytes(of: part)) ? 1 : 0)
            }, nil, nil, nil)
    }

    /// The bytes of a text or a blob, which SQLite owns.
    private static func bytes(of value: OpaquePointer) -> UnsafeRawBufferPointer {
        let base = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}
