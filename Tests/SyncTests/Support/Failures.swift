import Testing
import TidelogSync

/// The failure that `body` ends with; `nil`, and a finding, if it does not fail.
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
