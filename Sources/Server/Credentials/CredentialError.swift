/// The reason why a credential or a set of keys is not accepted. Only the operator gets this reason; no response contains it.
package enum CredentialError: Error, Sendable, Hashable {
    /// The request has neither a key nor a token.
    case missing
    /// The API key is wrong, or the server accepts no API key.
    case wrongKey
    /// The token is longer than the limit.
    case tokenTooLong
    /// The token does not have three parts in base64url, or a part has the wrong contents.
    case malformedToken
    /// The token's algorithm is not accepted, either in general or for the key that the token names.
    case unacceptableAlgorithm
    /// The token has another type, or requires an extension that the verifier does not know.
    case unacceptableHeader
    /// No key has the token's key id. Or the token has no key id, and there are several keys.
    case unknownKey
    /// The signature was not made with the key.
    case invalidSignature
    /// The token has expired, or has no time of expiry.
    case expired
    /// The token is not valid yet.
    case notYetValid
    /// The token has another issuer.
    case wrongIssuer
    /// The token is meant for another audience.
    case wrongAudience
    /// A claim is missing, or has a value of the wrong type.
    case invalidClaim(String)
    /// The file is not a valid JSON Web Key Set. The text says why.
    case invalidKeySet(String)
    /// The system returns no random bytes, or libcrypto fails.
    case system
}
