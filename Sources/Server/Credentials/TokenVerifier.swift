internal import TidelogAgreement
internal import TidelogJSON

/// Verifies JSON Web Tokens: RFC 7515, 7519 and 8725.
package struct TokenVerifier: Sendable {
    /// The size of the longest accepted token in bytes.
    package static let maximumTokenBytes = 16 << 10

    private let keys: JSONWebKeySet
    private let issuer: String
    private let audiences: [String]
    private let leeway: Int64

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` that tokens must have.
    ///   - audiences: The accepted audiences. A token must have one of them in `aud`, or in `client_id` if it has no `aud`, as
    ///     Cognito's access tokens do.
    ///   - leewaySeconds: The difference between two clocks that the verifier tolerates.
    package init(keys: JSONWebKeySet, issuer: String, audiences: [String], leewaySeconds: Int64 = 30) {
        precondition(!issuer.isEmpty && !audiences.isEmpty, "an issuer and an audience are needed")
        precondition((0...300).contains(leewaySeconds), "a leeway is 0 to 300 seconds")
        self.keys = keys
        self.issuer = issuer
        self.audiences = audiences
        leeway = leewaySeconds
    }

    /// Returns the claims of `token`, if the token is valid at `now`, in seconds since 1970.
    package func verify(_ token: String, at now: Int64) throws(CredentialError) -> TokenClaims {
        guard token.utf8.count <= Self.maximumTokenBytes else { throw .tokenTooLong }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2]), !signature.isEmpty else {
            throw .malformedToken
        }
        let key = try key(for: Self.object(parts[0]))
        let signed = Array(token.utf8[..<parts[1].endIndex])
        guard key.verifies(signature, of: signed) else { throw .invalidSignature }
        // The claims are read only after the signature was verified.
        return try claims(Self.object(parts[1]), at: now)
    }

    /// The key that the header names. The key determines the algorithm, and the header must name the same one.
    private func key(for header: JSONValue) throws(CredentialError) -> PublicKey {
        guard header["crit"] == nil else { throw .unacceptableHeader }
        switch header["typ"] {
        case nil: break
        case .string(let type) where ["jwt", "at+jwt", "application/at+jwt"].contains(type.lowercased()): break
        default: throw .unacceptableHeader
        }
        guard case .string(let name) = header["alg"], let algorithm = PublicKey.Algorithm(rawValue: name) else {
            throw .unacceptableAlgorithm
        }
        let id: String?
        switch header["kid"] {
        case nil: id = nil
        case .string(let text): id = text
        default: throw .unacceptableHeader
        }
        guard let key = keys.key(id) else { throw .unknownKey }
        guard key.algorithm == algorithm else { throw .unacceptableAlgorithm }
        return key
    }

    private func claims(_ value: JSONValue, at now: Int64) throws(CredentialError) -> TokenClaims {
        guard case .object(let members) = value else { throw .malformedToken }
        guard case .string(let found) = value["iss"], found.utf8.elementsEqual(issuer.utf8) else { throw .wrongIssuer }
        try checkAudience(value)
        guard let expiresAt = try Self.time(value, "exp") else { throw .expired }
        guard now < expiresAt.addingReportingOverflow(leeway).partialValue else { throw .expired }
        for name in ["nbf", "iat"] {
            if let time = try Self.time(value, name), now + leeway < time { throw .notYetValid }
        }
        let subject: String
        switch value["sub"] {
        case nil: subject = ""
        case .string(let text): subject = text
        default: throw .invalidClaim("sub")
        }
        return TokenClaims(members, subject: subject, issuer: found, expiresAt: expiresAt)
    }

    private func checkAudience(_ value: JSONValue) throws(CredentialError) {
        let named: [JSONValue] =
            switch value["aud"] {
            case nil: value["client_id"].map { [$0] } ?? []
            case .array(let elements): elements
            case .some(let element): [element]
            }
        let isMeant = named.contains { element in
            guard case .string(let text) = element else { return false }
            return audiences.contains { $0.utf8.elementsEqual(text.utf8) }
        }
        guard isMeant else { throw .wrongAudience }
    }

    /// A time in whole seconds, rounded down; `nil` if the claim is missing. A time must not be before 1970 or after 2^53
    /// seconds.
    private static func time(_ value: JSONValue, _ name: String) throws(CredentialError) -> Int64? {
        let latest: Int64 = 1 << 53
        switch value[name] {
        case nil: return nil
        case .int(let seconds) where (0...latest).contains(seconds): return seconds
        case .double(let seconds) where (0...Double(latest)).contains(seconds): return Int64(seconds)
        default: throw .invalidClaim(name)
        }
    }

    /// A part of the token as a JSON object. The object must not have duplicate members.
    private static func object(_ part: Substring.UTF8View) throws(CredentialError) -> JSONValue {
        guard let bytes = Base64URL.decode(part),
            let value = try? JSONValue(
                parsing: bytes, limits: JSONLimits(maximumBytes: maximumTokenBytes, maximumDepth: 16)),
            case .object(let members) = value, Set(members.map { Array($0.key.utf8) }).count == members.count
        else { throw .malformedToken }
        return value
    }
}
