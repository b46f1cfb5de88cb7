package import Testing

/// Waits until `condition` holds. The test fails if the condition does not hold in time.
///
/// - Parameters:
///   - comment: The text for a test that waits too long.
///   - limit: How long the condition may take. Machines that run tests are often busy, so the limit is generous.
package func eventually(
    _ comment: Comment? = nil, within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record(comment ?? "The condition does not hold in time.", sourceLocation: sourceLocation)
            return
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
