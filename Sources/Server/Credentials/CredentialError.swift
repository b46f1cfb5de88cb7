/// Why a credential is not accepted, or keys cannot be used. For the operator: clients are told nothing of it.
package enum CredentialError: Error, Sendable, Hashable {
    /// There is neither a key nor a token.
    case missing
    /// The API key is not the server's, or the server takes none.
    case wrongKey
    /// The token is longer than any that is read.
    case tokenTooLong
    /// The token is not three parts in base64url, or a part is not what it should be.
    case malformedToken
    /// The token's algorithm is not accepted, for it or for the key that it names.
    case unacceptableAlgorithm
    /// The token is of another type, or asks for something that is not understood.
    case unacceptableHeader
    /// No key has the token's key id, or it names none and there are several.
    case unknownKey
    /// The signature is not the key's.
    case invalidSignature
    /// The token says no time at which it expires, or that time is over.
    case expired
    /// The token is valid later.
    case notYetValid
    /// The token is another issuer's.
    case wrongIssuer
    /// The token is meant for somebody else.
    case wrongAudience
    /// A claim is not of the kind that it must be, or is missing.
    case invalidClaim(String)
    /// The file is no JSON Web Key Set: what is wrong with it.
    case invalidKeySet(String)
    /// The system gives no random bytes, or libcrypto fails.
    case system
}
