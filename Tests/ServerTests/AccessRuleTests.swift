import Testing
import TidelogAgreement
import TidelogSDL

@testable import TidelogServer

@Suite("Access rules")
struct AccessRuleTests {
    private func rules(_ auth: String, fields: String = "a: String") throws -> AccessRules {
        try #require(API("type A @model @auth(rules: [\(auth)]) { \(fields) }").models["A"]).rules
    }

    @Test("a rule that leaves out its provider, field, claim or operations gets the transformer's defaults")
    func defaults() throws {
        let all = Set(AccessRule.Operation.allCases)
        #expect(
            try rules("{allow: owner}, {allow: private}, {allow: public}").model == [
                AccessRule(
                    subject: .owner(field: "owner", isList: false, claims: ["sub", "username"]), provider: .userPools,
                    operations: all),
                AccessRule(subject: .signedIn, provider: .userPools, operations: all),
                AccessRule(subject: .everybody, provider: .apiKey, operations: all),
            ])
        #expect(
            try rules("{allow: groups, groups: [\"a\", \"b\"]}").model == [
                AccessRule(
                    subject: .groups(["a", "b"], claim: "cognito:groups"), provider: .userPools, operations: all)
            ])
        #expect(try API("type A @model { a: Int }").models["A"]?.rules.model == nil)
    }

    @Test("the owner fields, group fields, claims and providers that a rule gives are used")
    func given() throws {
        let draft = try #require(API(Checkout.text("Tests/Fixtures/api/auth.graphql")).models["Draft"])
        #expect(
            draft.rules.model?.map(\.subject) == [
                .owner(field: "author", isList: false, claims: ["sub", "username"]),
                .owner(field: "editors", isList: true, claims: ["user_id"]),
                .groupsOfRecord(field: "teams", isList: true, claim: "cognito:groups"),
            ])
        #expect(draft.rules.model?.map(\.provider) == [.userPools, .oidc, .userPools])
        #expect(draft.rules.fields.keys.sorted() == ["text"])
        #expect(draft.impliedOwnerFields == ["author"])
        let pool = try rules("{allow: private, provider: identityPool}")
        #expect(pool.model?.map(\.provider) == [.iam])
    }

    @Test("the operation read stands for get, list, sync, listen and search")
    func reading() throws {
        #expect(
            try rules("{allow: owner, operations: [create, read]}").model?.map(\.operations) == [
                [.create, .get, .list, .sync, .listen, .search]
            ])
        #expect(try rules("{allow: owner, operations: [get]}").model?.map(\.operations) == [[.get]])
        #expect(
            try rules("{allow: owner, operations: [list, read]}").model?.map(\.operations) == [
                AccessRule.Operation.reading
            ])
    }

    @Test(
        "a rule is read with its escapes, and a null counts as left out",
        arguments: [
            (
                #"{allow: owner, provider: oidc, ownerField: "author", identityClaim: "email"}"#,
                .owner(field: "author", isList: false, claims: ["email"]), .oidc, 8
            ),
            (
                #"{allow: owner, identityClaim: "a::b:::c", operations: []}"#,
                .owner(field: "owner", isList: false, claims: ["a", "b", ":c"]), .userPools, 0
            ),
            (
                #"{allow: groups, groups: ["Admin", "A \"B\" \u00e9"]}"#,
                .groups(["Admin", "A \"B\" é"], claim: "cognito:groups"), .userPools, 8
            ),
            (
                #"{allow: groups, groups: ["Admin"], groupClaim: "roles", provider: oidc}"#,
                .groups(["Admin"], claim: "roles"), .oidc, 8
            ),
            (
                "{allow: groups}", .groupsOfRecord(field: "groups", isList: false, claim: "cognito:groups"), .userPools,
                8
            ),
            (
                #"{allow: groups, groupsField: null, groups: ["A"]}"#, .groups(["A"], claim: "cognito:groups"),
                .userPools,
                8
            ),
            ("{allow: private, provider: iam}", .signedIn, .iam, 8),
            ("{allow: public, provider: apiKey, operations: [listen, search, delete]}", .everybody, .apiKey, 3),
            ("{allow: custom, provider: function, operations: null}", .custom, .function, 8),
        ] as [(String, AccessRule.Subject, AccessRule.Provider, Int)])
    func read(
        _ text: String, _ subject: AccessRule.Subject, _ provider: AccessRule.Provider, _ operationCount: Int
    ) throws {
        let directives = ["@auth(rules: [\(text)])"]
        let rule = try #require(try AccessRule.rules(in: directives, isList: { _ in false })?.first).get()
        #expect(rule.subject == subject && rule.provider == provider)
        #expect(rule.operations.count == operationCount)
    }

    @Test("a global rule applies to each model, and a join model has the rules of both sides")
    func inherited() throws {
        let global = try API(
            "input AMPLIFY { globalAuthRule: AuthRule = {allow: public} } type A @model { a: Int }")
        #expect(global.models["A"]?.rules.model?.map(\.subject) == [.everybody])
        let joined = try API(
            """
            type A @model @auth(rules: [{allow: owner}]) { b: [B] @manyToMany(relationName: "AB") }
            type B @model @auth(rules: [{allow: private}]) { a: [A] @manyToMany(relationName: "AB") }
            """)
        #expect(joined.models["AB"]?.rules.model?.count == 2)
        #expect(joined.models["AB"]?.impliedOwnerFields == ["owner"])
    }

    @Test(
        "a rule whose provider does not fit its callers is refused, with its place",
        arguments: [
            (
                "{allow: owner, provider: apiKey}",
                "1:15: a rule that allows owner has the provider userPools or oidc, not apiKey"
            ),
            (
                "{allow: public, provider: userPools}",
                "1:15: a rule that allows public has the provider apiKey or iam, not userPools"
            ),
        ])
    func refused(_ rule: String, _ description: String) {
        let diagnostic = #expect(throws: SchemaDiagnostic.self) { try rules(rule) }
        #expect(diagnostic?.description == description)
    }
}
