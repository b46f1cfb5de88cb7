/// The tokens of one mode, which the app's provider returns.
actor TokenSession {
    /// The error for a token of another person than the synced one.
    struct AnotherPerson: Error {}

    private let provide: GraphQLAuthorization.TokenProvider
    /// The last token that the server refused.
    private var refused: String?
    private var refreshing: Task<String, any Error>?
    /// The person that the tokens must name; `nil` if any person is allowed.
    private var expected: Person?
    /// The last token that was compared with the expected person.
    private var checked: String?

    init(_ provide: @escaping GraphQLAuthorization.TokenProvider) { self.provide = provide }

    /// A token that the server has not refused, if the provider has such a token.
    ///
    /// - Throws: The provider's error; ``AnotherPerson``.
    func token() async throws -> String {
        let token = try await provide(false)
        return try check(token == refused ? try await refreshed() : token)
    }

    /// A token that replaces one that the server refused; `nil` if the provider has no other token.
    ///
    /// - Throws: ``AnotherPerson``.
    func token(inPlaceOf old: String) async throws -> String? {
        refused = old
        do {
            let new = try await token()
            return new == old ? nil : new
        } catch let error as AnotherPerson {
            throw error
        } catch {
            // The refusal of the old token is the error that matters.
            return nil
        }
    }

    /// Accepts only tokens of this person from now on. With `nil` it accepts tokens of every person.
    func expect(_ person: Person?) { (expected, checked) = (person, nil) }

    private func check(_ token: String) throws -> String {
        guard let expected, token != checked else { return token }
        guard Person(token: token) == expected else { throw AnotherPerson() }
        checked = token
        return token
    }

    /// Asks for a new token, once for all callers that need one at this time.
    private func refreshed() async throws -> String {
        if let refreshing { return try await refreshing.value }
        let task = Task { [provide] in try await provide(true) }
        refreshing = task
        defer { refreshing = nil }
        return try await task.value
    }
}
