/// A user's session in the form in which an app's library keeps it: it caches a token until a new one is requested.
package actor UserSession {
    package struct NoSession: Error {
        package init() {}
    }

    private let issuer: TokenIssuer
    private let groups: [String]
    private let seconds: Double
    private var subject: String?
    private var token: String?
    /// The number of tokens that were made.
    package private(set) var tokenCount = 0

    package init(_ subject: String?, groups: [String] = [], seconds: Double = 600, from issuer: TokenIssuer) {
        (self.subject, self.groups, self.seconds, self.issuer) = (subject, groups, seconds, issuer)
    }

    /// Signs in as `subject`, or signs out if it is `nil`.
    package func signIn(_ subject: String?) { (self.subject, token) = (subject, nil) }

    package func token(refreshing: Bool) async throws -> String {
        guard let subject else { throw NoSession() }
        if let token, !refreshing { return token }
        let new = try await onThread { [issuer, groups, seconds] in
            try issuer.token(subject, groups: groups, seconds: seconds)
        }
        guard subject == self.subject else { throw NoSession() }
        (token, tokenCount) = (new, tokenCount + 1)
        return new
    }
}
