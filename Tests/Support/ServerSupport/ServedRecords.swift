internal import PostgresSupport
package import Testing

/// The place of the records of servers that a test starts in its process.
package enum ServedRecords: Sendable {
    /// A store of the server's own.
    case store
    /// A new PostgreSQL database, which two servers with a load balancer share.
    case database

    @TaskLocal package static var place = ServedRecords.store
}

/// Runs each test of a suite again with the records in PostgreSQL, if it is installed.
package struct DatabaseToo: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        try await body()
        guard testCase != nil, PostgresCluster.isInstalled else { return }
        try await ServedRecords.$place.withValue(.database) { try await body() }
    }
}

extension Trait where Self == DatabaseToo {
    /// Runs each test again with the records in PostgreSQL.
    package static var databaseToo: DatabaseToo { DatabaseToo() }
}
