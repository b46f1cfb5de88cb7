internal import TidelogSuggestion

/// Finds the names that the author of one request probably meant. The work for a request with many unknown names is bounded.
struct RequestSuggestions {
    private var count = 0
    private static let limit = 5
    private static let candidateLimit = 500

    /// The candidate that is most similar to the unknown `name`. It is `nil` after the first few unknown names, and if there
    /// are too many candidates.
    mutating func suggestion(for name: String, among candidates: @autoclosure () -> [String]) -> String? {
        guard count < Self.limit else { return nil }
        count += 1
        let candidates = candidates()
        return candidates.count <= Self.candidateLimit ? Suggestion.nearest(to: name, among: candidates) : nil
    }

    /// The end of a message: ` Did you mean "…"?`, or nothing without a suggestion.
    static func question(_ suggestion: String?) -> String { suggestion.map { " Did you mean \"\($0)\"?" } ?? "" }
}
