internal import TidelogCore

/// The names of tables, columns and indexes in the database.
///
/// Names in a schema have letters, digits and `_` only. So a name with `~` or a dot belongs to the server alone.
enum DatabaseNames {
    /// The database's schema with one table for each model.
    static let records = "tidelog"
    /// The database's schema with the tables of the server itself.
    static let server = "tidelog_server"
    /// The column with the encoded primary key.
    static let key = quoted("~key")

    /// The longest name that PostgreSQL does not cut, in bytes.
    private static let byteCount = 63

    /// The table of a model.
    static func table(_ model: String) -> String { quoted(records) + "." + quoted(plain(model)) }

    /// The column of a field.
    static func column(_ field: String) -> String { plain(field) }

    /// The column of the instant of a temporal field.
    static func instant(_ field: String) -> String { plain(field + "~instant") }

    /// The index `index` of a model. The table's name is part of it, because indexes of all tables share their names.
    static func index(_ index: String, of model: String) -> String { plain("\(model).\(index)") }

    /// `name`, or a name of 63 bytes with a hash if it is longer.
    static func plain(_ name: String) -> String {
        guard name.utf8.count > byteCount else { return name }
        let start = String(decoding: name.utf8.prefix(byteCount - 17), as: UTF8.self)
        return "\(start)~\(name.utf8.stableHash.hexadecimal)"
    }

    /// Quotes a name. No other function quotes names.
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
