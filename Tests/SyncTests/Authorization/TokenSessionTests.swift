import Testing
import TidelogAgreement
import TidelogSynchronization

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Tokens of a session")
struct TokenSessionTests {
    /// The token provider of an app. It returns `t1`, and after each request for a new token the next number, up to `limit`.
    private final class Provider: Sendable {
        let state = Mutex((number: 1, calls: [Bool]()))
        let limit: Int

        init(limit: Int = .max) { self.limit = limit }

        var calls: [Bool] { state.withLock { $0.calls } }

        func token(_ refreshing: Bool) async throws -> String {
            let number = try state.withLock { state in
                state.calls.append(refreshing)
                if refreshing {
                    guard state.number < limit else { throw GraphQLAuthorization.SignedOut() }
                    state.number += 1
                }
                return state.number
            }
            if refreshing { try await Task.sleep(for: .milliseconds(20)) }
            return "t\(number)"
        }
    }

    @Test("a refused token is refreshed once, and a later refusal of the same token does not refresh it again")
    func refusals() async throws {
        let provider = Provider()
        let session = TokenSession { try await provider.token($0) }
        #expect(try await session.token() == "t1")
        #expect(try await session.token() == "t1")
        #expect(provider.calls == [false, false])
        #expect(try await session.token(inPlaceOf: "t1") == "t2")
        #expect(try await session.token() == "t2")
        // A late refusal of an old token does not make the session ask for a new one.
        let calls = provider.calls.count
        #expect(try await session.token(inPlaceOf: "t1") == "t2")
        #expect(provider.calls.dropFirst(calls) == [false])
    }

    @Test("if the provider has no new token, the refused token is not replaced")
    func noNewToken() async throws {
        let provider = Provider(limit: 1)
        let session = TokenSession { try await provider.token($0) }
        #expect(try await session.token() == "t1")
        #expect(try await session.token(inPlaceOf: "t1") == nil)
        await #expect(throws: GraphQLAuthorization.SignedOut.self) { _ = try await session.token() }
        let stubborn = TokenSession { _ in "same" }
        #expect(try await stubborn.token(inPlaceOf: "same") == nil)
    }

    @Test("only the expected person's tokens are accepted")
    func persons() async throws {
        let text = Mutex(Self.token(#"{"iss":"i","sub":"anna","n":1}"#))
        let session = TokenSession { _ in text.withLock { $0 } }
        await session.expect(Person(issuer: "i", subject: "anna"))
        _ = try await session.token()
        text.withLock { $0 = Self.token(#"{"iss":"i","sub":"anna","n":2}"#) }
        _ = try await session.token()
        for other in [#"{"iss":"i","sub":"ben"}"#, #"{"iss":"j","sub":"anna"}"#, #"{}"#] {
            text.withLock { $0 = Self.token(other) }
            await #expect(throws: TokenSession.AnotherPerson.self) { _ = try await session.token() }
        }
        await session.expect(nil)
        _ = try await session.token()
    }

    @Test("claims are read from the second part of a token, and a text that is not a token has no claims")
    func claims() throws {
        let token = Self.token(
            #"{"iss":"https://pool","sub":"1","empty":"","cognito:groups":["a",7,"b"],"one":"x","username":"u"}"#)
        for text in [token, "Bearer " + token, "bearer " + token] {
            let claims = try #require(UnverifiedClaims(text))
            #expect(claims.text("iss") == "https://pool" && claims.text("sub") == "1")
            #expect(claims.text("empty") == nil && claims.text("none") == nil && claims.text("cognito:groups") == nil)
            #expect(claims.texts("cognito:groups") == ["a", "b"] && claims.texts("one") == ["x"])
            #expect(claims.texts("none").isEmpty && claims.username == "u")
            #expect(Person(token: text) == Person(issuer: "https://pool", subject: "1"))
        }
        let named = try #require(UnverifiedClaims(Self.token(#"{"cognito:username":"c","username":"u"}"#)))
        #expect(named.username == "c")
        for damaged in [
            "", "opaque", "a.b", "..", "a.b.c.d", "a.!!.c", Self.token("[]"), Self.token("{"), Self.token("7"),
            token.replacing(".", with: ""),
        ] {
            #expect(UnverifiedClaims(damaged) == nil, "\(damaged)")
            #expect(Person(token: damaged) == .nobody)
        }
    }

    private static func token(_ claims: String) -> String {
        [#"{"alg":"none"}"#, claims, "s"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    }
}
