/// The credentials of an app, by their modes.
struct Credentials: Sendable {
    typealias Mode = GraphQLAuthorization.Mode

    /// The mode that is used unless the rules of a model choose another one.
    let defaultMode: Mode
    private let keys: [Mode: String]
    private let sessions: [Mode: TokenSession]

    init(_ authorization: GraphQLAuthorization) {
        defaultMode = authorization.defaultMode
        var keys: [Mode: String] = [:]
        var sessions: [Mode: TokenSession] = [:]
        for entry in authorization.entries {
            switch entry.secret {
            case .key(let key): keys[entry.mode] = key
            case .tokens(let provider): sessions[entry.mode] = TokenSession(provider)
            case .unsupported: break
            }
        }
        (self.keys, self.sessions) = (keys, sessions)
    }

    /// The modes that the app gave.
    var modes: Set<Mode> { Set(keys.keys).union(sessions.keys) }

    /// - Parameter mode: The mode; `nil` for the default.
    /// - Throws: ``GraphQLClientError`` with the code `noToken`.
    func credential(_ mode: Mode? = nil) async throws(GraphQLClientError) -> Credential {
        let mode = mode ?? defaultMode
        if let key = keys[mode] { return Credential(mode: mode, headers: ["x-api-key": key], token: nil) }
        guard let session = sessions[mode] else {
            throw GraphQLClientError(.noToken, "The app gave no credentials for the mode \(mode.rawValue).")
        }
        do {
            return Credential(mode: mode, token: try await session.token())
        } catch {
            throw Self.noToken(error)
        }
    }

    /// A credential that replaces one that the server refused; `nil` if no other credential is available.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `noToken` if the provider gave a token of another person.
    func credential(inPlaceOf old: Credential) async throws(GraphQLClientError) -> Credential? {
        guard let session = sessions[old.mode], let token = old.token else { return nil }
        do {
            return try await session.token(inPlaceOf: token).map { Credential(mode: old.mode, token: $0) }
        } catch {
            throw Self.noToken(error)
        }
    }

    private static func noToken(_ error: any Error) -> GraphQLClientError {
        let message =
            switch error {
            case is TokenSession.AnotherPerson: "The provider of tokens gave a token of another person."
            case is GraphQLAuthorization.SignedOut: "No user is signed in."
            default: "The provider of tokens gave none."
            }
        return GraphQLClientError(.noToken, message, underlying: error)
    }

    /// The person in the token of the default mode.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `noToken`.
    func person() async throws(GraphQLClientError) -> Person {
        try await credential().token.map { Person(token: $0) } ?? .nobody
    }

    /// Makes the default mode accept only tokens of this person. With `nil` it accepts tokens of every person.
    func expect(_ person: Person?) async { await sessions[defaultMode]?.expect(person) }
}

/// The credential that is sent to show a server who the caller is.
struct Credential: Sendable {
    let mode: GraphQLAuthorization.Mode
    /// The header fields, by their names.
    let headers: [String: String]
    /// The token; `nil` for a key.
    let token: String?

    fileprivate init(mode: GraphQLAuthorization.Mode, headers: [String: String], token: String?) {
        self.mode = mode
        self.headers = headers
        self.token = token
    }

    fileprivate init(mode: GraphQLAuthorization.Mode, token: String) {
        self.init(mode: mode, headers: ["Authorization": token], token: token)
    }
}
