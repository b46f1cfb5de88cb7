import TidelogJSON

@testable import TidelogServer

/// Somebody who makes requests, as tests know them.
struct Person: Sendable, CustomStringConvertible {
    let name: String
    /// How they are recognised.
    let provider: String
    /// The claims of their token that are text.
    var texts: [String: String] = [:]
    /// The claims of their token that are lists.
    var lists: [String: [String]] = [:]
    /// Other claims, as they are.
    var others: [String: JSONValue] = [:]

    var description: String { name }

    /// The same person for the server.
    var caller: Caller {
        guard provider != "apiKey" else { return .apiKey }
        var members = texts.map { JSONMember($0.key, .string($0.value)) }
        members += lists.map { JSONMember($0.key, .array($0.value.map { .string($0) })) }
        members += others.map { JSONMember($0.key, $0.value) }
        let claims = TokenClaims(
            members, subject: texts["sub"] ?? "", issuer: "https://\(provider)", expiresAt: 4_000_000_000)
        return .token(claims, of: provider == "oidc" ? .oidc : .userPools)
    }

    static let key = Person(name: "key", provider: "apiKey")
    static let ann = Person(
        name: "ann", provider: "userPools",
        texts: ["sub": "canary-ann-s", "cognito:username": "canary-ann-u", "email": "canary-ann@x"],
        lists: ["cognito:groups": ["Staff"]])
    static let bob = Person(
        name: "bob", provider: "userPools",
        texts: ["sub": "canary-bob-s", "username": "canary-bob-u", "cognito:groups": "Admins"])
    static let cyd = Person(
        name: "cyd", provider: "userPools", texts: ["sub": "canary-cyd-s", "username": "canary-cyd-u"],
        lists: ["cognito:groups": ["Admins", "Staff", ""], "roles": ["Admins"]])
    /// No username: only the subject.
    static let dan = Person(name: "dan", provider: "userPools", texts: ["sub": "canary-dan-s"])
    /// Ann's subject and name, of another issuer.
    static let eve = Person(
        name: "eve", provider: "oidc",
        texts: ["sub": "canary-ann-s", "username": "canary-ann-u", "user_id": "canary-eve-i"],
        lists: ["roles": ["Staff"], "cognito:groups": ["Admins"]])
    /// Claims that are empty or of odd types.
    static let gus = Person(
        name: "gus", provider: "userPools", texts: ["sub": "", "username": ""],
        others: [
            "cognito:groups": .array([.string("Admins"), .int(7)]), "email": .array([.string("canary-ann@x")]),
            "user_id": .int(1), "roles": .object([]),
        ])
    /// Calls itself what ann's records call ann.
    static let hal = Person(
        name: "hal", provider: "userPools",
        texts: ["sub": "canary-hal-s", "username": "canary-ann-s::canary-ann-u", "user_id": "canary-hal-i"])

    static let all = [key, ann, bob, cyd, dan, eve, gus, hal]
}
