import TidelogAgreement
import TidelogJSON

@testable import TidelogServer

/// A person who makes requests in the tests.
struct Person: Sendable, CustomStringConvertible {
    let name: String
    /// The name of the provider that recognises this person, such as `userPools`.
    let provider: String
    /// The claims of the person's token that are texts.
    var texts: [String: String] = [:]
    /// The claims of the person's token that are lists of texts.
    var lists: [String: [String]] = [:]
    /// Whether the lists are in the token as texts of JSON, as Cognito writes them in custom attributes.
    var hasListsAsTexts = false
    /// The other claims of the person's token, as JSON.
    var others: [String: JSONValue] = [:]

    var description: String { name }

    /// The caller that the server makes of this person's token.
    var caller: Caller {
        guard provider != "apiKey" else { return .apiKey }
        var members = texts.map { JSONValue.Member($0.key, .string($0.value)) }
        members += lists.map { name, elements in
            let list = JSONValue.array(elements.map { .string($0) })
            var writer = JSONWriter()
            list.write(to: &writer)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            return JSONValue.Member(name, hasListsAsTexts ? .string(text) : list)
        }
        members += others.map { JSONValue.Member($0.key, $0.value) }
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
    /// The token has a subject, and no username.
    static let dan = Person(name: "dan", provider: "userPools", texts: ["sub": "canary-dan-s"])
    /// The token has Ann's subject and username, but it comes from another issuer.
    static let eve = Person(
        name: "eve", provider: "oidc",
        texts: ["sub": "canary-ann-s", "username": "canary-ann-u", "user_id": "canary-eve-i"],
        lists: ["roles": ["Staff"], "cognito:groups": ["Admins"]])
    /// The claims are empty or have unexpected types.
    static let gus = Person(
        name: "gus", provider: "userPools", texts: ["sub": "", "username": ""],
        others: [
            "cognito:groups": .array([.string("Admins"), .int(7)]), "email": .array([.string("canary-ann@x")]),
            "user_id": .int(1), "roles": .object([]),
        ])
    /// The username is a text that Ann's records have as the name of their owner.
    static let hal = Person(
        name: "hal", provider: "userPools",
        texts: ["sub": "canary-hal-s", "username": "canary-ann-s::canary-ann-u", "user_id": "canary-hal-i"])

    /// The groups are attributes of Cognito.
    static let ivy = Person(
        name: "ivy", provider: "userPools", texts: ["sub": "canary-ivy-s", "username": "canary-ivy-u"],
        lists: ["cognito:groups": ["Admins", "a\"b"], "roles": ["Staff"]], hasListsAsTexts: true)

    static let all = [key, ann, bob, cyd, dan, eve, gus, hal, ivy]
}
