package import TidelogServer

/// The document and the kind of the API with which a database was last served.
package struct DatabaseDescription: Sendable {
    package let source: String
    package let kind: APIKind

    /// Reads the description of the database at `address`; `nil` if no server has used it.
    ///
    /// - Throws: ``DataStoreError`` if the database cannot be reached.
    package static func read(_ address: DatabaseAddress) async throws -> DatabaseDescription? {
        let pool = ConnectionPool(address, DatabaseAddress.Limits())
        return try await pool.run(.once) { try read($0) }
    }

    /// Reads the description of the database of `connection`; `nil` if no server has used it.
    static func read(_ connection: Connection) throws -> DatabaseDescription? {
        guard let source = try DatabaseSchema.fact("source", connection) else { return nil }
        let kind = try DatabaseSchema.fact("api", connection).flatMap { APIKind(rawValue: $0) }
        return DatabaseDescription(source: source, kind: kind ?? .versioned)
    }
}
