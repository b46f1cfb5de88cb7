import Testing
import TidelogSync

/// The error that `body` throws. If it throws none, the result is `nil`, and the test fails.
func failure(
    _ body: () async throws(TransportError) -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> TransportError? {
    do throws(TransportError) {
        try await body()
    } catch {
        return error
    }
    Issue.record("It does not fail.", sourceLocation: sourceLocation)
    return nil
}
