internal import CPostgres
internal import TidelogCore
internal import TidelogPlatform

/// The address of a database: `postgres://user@host:port/name?option=value`, or libpq's `host=… dbname=…`.
package struct DatabaseAddress: Sendable {
    /// The text, which may contain a password.
    let text: String
    /// The name of the application in the address; `nil` if it has none.
    private let applicationName: String?

    /// - Throws: ``DataStoreError`` with code `configurationMismatch` if `text` is no address.
    package init(_ text: String) throws {
        var reason: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(text, &reason)
        defer {
            PQconninfoFree(options)
            PQfreemem(reason)
        }
        guard let options else {
            // libpq's reason may repeat a password.
            throw DataStoreError(
                .configurationMismatch, "The address of the database is not valid.",
                recovery: "Give an address such as postgres://user@host:5432/name.")
        }
        self.text = text
        applicationName = Self.value("application_name", in: options)
    }

    /// The value of the option `name`; `nil` if it has none. The last option has no name.
    private static func value(_ name: String, in options: UnsafePointer<PQconninfoOption>) -> String? {
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == name { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }
}

extension DatabaseAddress {
    /// The name of a connection of this process, as PostgreSQL shows it. ``connectionNames`` matches it.
    var connectionName: String {
        ["tidelog \(getpid())", applicationName].compactMap { $0 }.joined(separator: " ")
    }

    /// The regular expression for the connections of all processes of Tidelog.
    static let connectionNames = "^tidelog [0-9]+( |$)"

    /// The bounds of the work with a database.
    package struct Limits: Sendable {
        /// The largest number of open connections for requests. The reader of changes has one more.
        package var connectionCount = 16
        /// The number of milliseconds after which PostgreSQL ends a statement.
        package var statementTime = 15_000
        /// The number of milliseconds for which a statement waits for a lock.
        package var lockTime = 5_000
        /// The number of seconds for which a new connection is waited for.
        package var connectTime = 5

        package init() {}
    }
}
