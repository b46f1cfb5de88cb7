import ServerSupport
import Testing
import TidelogAgreement
import TidelogCore
import TidelogJSON
import TidelogSDL

@testable import TidelogClientMachines
@testable import TidelogServer
@testable import TidelogSync

@Suite("Rules of @auth, as the sync engine uses them")
struct AuthorizationRuleTests {
    private static func model(_ rules: String) throws -> (ModelSchema, SchemaDocument) {
        let text = """
            type Post @model @auth(rules: [\(rules)]) {
              id: ID! title: String author: String editors: [String] team: String
            }
            """
        let document = try SchemaDocument(sdl: Array(text.utf8))
        return (try #require(document.schema.model(named: "Post")), document)
    }

    private static func rules(_ rules: String) throws -> [AccessRule] {
        AccessRule.rules(of: try model(rules).0)
    }

    @Test("the rules of @auth are read among blanks, comments and other directives, and an invalid text gives no rules")
    func texts() {
        let model = { (directives: [String]) in ModelSchema(name: "Post", fields: [], directives: directives) }
        let rules = AccessRule.rules(
            of: model([
                "@other(a: 1.5, b: {c: [true, null]})",
                "@auth ( # who\n rules : [ { allow : owner , } ,,{allow:\"public\"}] ) @last",
            ]))
        #expect(rules.map(\.mode) == [.amazonCognitoUserPools, .apiKey])
        for text in [
            "", "auth", "@auth", "@auth(", "@auth(rules)", "@auth(rules: [{allow: owner}", "@auth(rules: \"owner)",
            "@auth(rules: [{allow: \"\\u12\"}])", "@auth(rules: [{allow: nobody}])", "@auth(rules: [7])",
            "@auth(rules: [{allow: public, provider: magic}])", "@auth(rules: [{allow: owner}]) }",
        ] {
            #expect(AccessRule.rules(of: model([text])).isEmpty, "\(text)")
        }
    }

    @Test("the authorization modes that the app gave are tried in Amplify's order, each once")
    func order() throws {
        let all: Set<GraphQLAuthorization.Mode> = [.apiKey, .amazonCognitoUserPools, .openIDConnect, .function]
        let modes = {
            (text: String, operation: AccessRule.Operation, given: Set<GraphQLAuthorization.Mode>) in
            AuthModeStrategy.multiAuth.modes(
                try Self.rules(text), for: operation, given: given, orElse: .openIDConnect)
        }
        let many = """
            {allow: public}, {allow: private}, {allow: groups, groups: ["A"], provider: oidc}, {allow: owner},
            {allow: custom}, {allow: private, provider: iam}
            """
        #expect(try modes(many, .sync, all) == [.function, .amazonCognitoUserPools, .openIDConnect, .apiKey])
        #expect(try modes(many, .create, [.apiKey, .openIDConnect]) == [.openIDConnect, .apiKey])
        let equal = "{allow: owner, provider: oidc}, {allow: owner, provider: userPools}"
        #expect(try modes(equal, .delete, all) == [.amazonCognitoUserPools, .openIDConnect])
        let read = "{allow: public, operations: [read]}, {allow: owner, operations: [create, update]}"
        #expect(try modes(read, .sync, all) == [.apiKey] && modes(read, .listen, all) == [.apiKey])
        #expect(try modes(read, .create, all) == [.amazonCognitoUserPools])
        // No rule allows the operation, so the request uses the default mode, and the server decides.
        #expect(try modes(read, .delete, all) == [.openIDConnect])
        #expect(try modes("{allow: owner, operations: []}", .get, all) == [.openIDConnect])
        #expect(
            AuthModeStrategy.default.modes(try Self.rules(many), for: .sync, given: all, orElse: .apiKey) == [.apiKey])
    }

    // MARK: Owner arguments

    private static func token(_ claims: String) -> String {
        "e." + Base64URL.encode(Array(claims.utf8)) + ".s"
    }

    @Test("a subscription has an owner argument if the rules allow its caller only records of their own")
    func ownerArguments() throws {
        let anna = Self.token(#"{"sub":"1","cognito:username":"anna","email":"a@b","cognito:groups":["A"]}"#)
        let argument = { (text: String, mode: GraphQLAuthorization.Mode, token: String?) in
            OwnerArgument(try Self.rules(text), for: .listen, by: mode, token: token).map { "\($0.field)=\($0.value)" }
        }
        let pool = GraphQLAuthorization.Mode.amazonCognitoUserPools
        #expect(try argument("{allow: owner}", pool, anna) == "owner=1::anna")
        #expect(try argument("{allow: owner}", pool, Self.token(#"{"sub":"1"}"#)) == "owner=1")
        let byEmail = "{allow: owner, ownerField: \"author\", identityClaim: \"email\"}"
        #expect(try argument(byEmail, pool, anna) == "author=a@b")
        #expect(try argument("{allow: owner, identityClaim: \"username\"}", pool, anna) == "owner=anna")
        #expect(try argument("{allow: owner, operations: [read]}", pool, anna) == "owner=1::anna")
        #expect(try argument("{allow: owner}, {allow: public}", pool, anna) == "owner=1::anna")
        #expect(try argument("{allow: owner}, {allow: groups, groups: [\"B\"]}", pool, anna) == "owner=1::anna")
        #expect(try argument("{allow: owner}, {allow: owner, operations: [read]}", pool, anna) == "owner=1::anna")
        for (text, mode, token) in [
            // In this mode, or with this token, the caller is not an owner.
            ("{allow: owner}", .apiKey, nil), ("{allow: owner}", .openIDConnect, anna),
            ("{allow: owner}", pool, "opaque"), ("{allow: owner}", pool, Self.token(#"{"iss":"i"}"#)),
            ("{allow: owner, operations: [create, update]}", pool, anna),
            // A record has several owners, or other callers may receive the record too.
            ("{allow: owner, ownerField: \"editors\"}", pool, anna),
            ("{allow: owner}, {allow: owner, ownerField: \"author\"}", pool, anna),
            ("{allow: owner}, {allow: groups, groups: [\"A\"]}", pool, anna),
            ("{allow: owner}, {allow: groups, groupsField: \"team\"}", pool, anna),
            ("{allow: owner}, {allow: private, operations: [read]}", pool, anna), ("{allow: private}", pool, anna),
        ] as [(String, GraphQLAuthorization.Mode, String?)] {
            #expect(try argument(text, mode, token) == nil, "\(text)")
        }
    }

    @Test("the engine names an owner as the server does in new records")
    func ownerNames() throws {
        let texts: [String?] = [nil, "", "a", "a::b", ":"]
        for sub in texts {
            for name in texts {
                for identity in ["sub::username", "username", "sub", "username::sub", "cognito:username"] {
                    var members: [JSONValue.Member] = [JSONValue.Member("iss", .string("i"))]
                    if let sub { members.append(JSONValue.Member("sub", .string(sub))) }
                    if let name { members.append(JSONValue.Member("username", .string(name))) }
                    var writer = JSONWriter()
                    JSONValue.object(members).write(to: &writer)
                    let token = Self.token(String(decoding: writer.bytes, as: UTF8.self))
                    let rules = try Self.rules("{allow: owner, identityClaim: \"\(identity)\"}")
                    guard case .owner(_, _, let claims)? = rules.first?.subject else {
                        Issue.record("The rule has no owner.")
                        continue
                    }
                    let server = ModelAccess.OwnerNames(
                        claims, in: TokenClaims(members, subject: sub ?? "", issuer: "i", expiresAt: 9))
                    let argument = OwnerArgument(rules, for: .listen, by: .amazonCognitoUserPools, token: token)
                    #expect(argument?.value == server.full, "\(identity) \(sub ?? "-") \(name ?? "-")")
                }
            }
        }
    }
}
