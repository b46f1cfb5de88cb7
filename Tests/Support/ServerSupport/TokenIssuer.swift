internal import Foundation
package import TidelogServer

/// A token issuer that a server trusts as its user pool.
package struct TokenIssuer: Sendable {
    package static let name = "https://pool"
    private let signer: TokenSigner

    package init() throws { signer = try TokenSigner(.ec, id: "own") }

    /// Makes an authenticator that recognises callers by this issuer's tokens and by `apiKey`.
    package func authenticator(apiKey: String? = nil) throws -> Authenticator {
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(try signer.jsonWebKey())]}"#.utf8))
        return Authenticator(
            apiKey: apiKey, userPools: [TokenVerifier(keys: keys, issuer: Self.name, audiences: ["app"])])
    }

    /// A token of `subject` that a server accepts for `seconds`.
    package func token(_ subject: String, groups: [String] = [], seconds: Double = 600) throws -> String {
        let now = Date().timeIntervalSince1970
        // A server accepts a token for 30 seconds after its expiry, because clocks differ.
        let times = #""exp":\#(now + seconds - 30),"iat":\#(Int(now) - 60)"#
        let names = groups.map { "\"\($0)\"" }.joined(separator: ",")
        return try signer.token(
            #"{"iss":"\#(Self.name)","aud":"app","sub":"\#(subject)","cognito:username":"\#(subject)-name","#
                + #""cognito:groups":[\#(names)],\#(times)}"#)
    }
}
