internal import TidelogAgreement
internal import TidelogJSON

/// A JSON Web Key Set: the keys with which an issuer signs its tokens. RFC 7517.
package struct JSONWebKeySet: Sendable {
    struct Entry: Sendable {
        let id: String?
        let key: PublicKey
    }

    let entries: [Entry]

    /// Reads the keys from the bytes of a file. Keys of other types and for other uses are ignored, but at least one key must
    /// be usable.
    package init(parsing bytes: [UInt8]) throws(CredentialError) {
        guard let value = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 1 << 20, maximumDepth: 16))
        else {
            throw .invalidKeySet("it is not JSON, or too long")
        }
        guard case .array(let keys) = value["keys"] else { throw .invalidKeySet("it has no list of keys") }
        guard keys.count <= 100 else { throw .invalidKeySet("it has more than 100 keys") }
        var entries: [Entry] = []
        for key in keys {
            guard let entry = try Self.entry(key) else { continue }
            if let id = entry.id, entries.contains(where: { $0.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false }) {
                throw .invalidKeySet("two keys have the same key id")
            }
            entries.append(entry)
        }
        guard !entries.isEmpty else { throw .invalidKeySet("none of its keys is for RS256 or ES256") }
        self.entries = entries
    }

    /// The number of usable keys.
    package var count: Int { entries.count }

    /// The key with the key id `id`. If `id` is `nil`, the only key of the set.
    func key(_ id: String?) -> PublicKey? {
        guard let id else { return entries.count == 1 ? entries[0].key : nil }
        return entries.first { $0.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false }?.key
    }

    private static func entry(_ value: JSONValue) throws(CredentialError) -> Entry? {
        guard case .object(let members) = value else { throw .invalidKeySet("a key is no object") }
        guard Set(members.map(\.key)).count == members.count else {
            throw .invalidKeySet("a key has a member twice")
        }
        if let use = value["use"], use != .string("sig") { return nil }
        if case .array(let operations) = value["key_ops"], !operations.contains(.string("verify")) { return nil }
        let key: PublicKey
        switch value["kty"] {
        case .string("RSA"):
            guard isFor(.rs256, value) else { return nil }
            key = try .rsa(modulus: number(value, "n"), exponent: number(value, "e"))
        case .string("EC"):
            guard isFor(.es256, value), value["crv"] == .string("P-256") else { return nil }
            key = try .p256(x: number(value, "x"), y: number(value, "y"))
        default: return nil
        }
        switch value["kid"] {
        case nil: return Entry(id: nil, key: key)
        case .string(let id): return Entry(id: id, key: key)
        default: throw .invalidKeySet("a key id is no string")
        }
    }

    private static func isFor(_ algorithm: PublicKey.Algorithm, _ value: JSONValue) -> Bool {
        value["alg"].map { $0 == .string(algorithm.rawValue) } ?? true
    }

    private static func number(_ value: JSONValue, _ name: String) throws(CredentialError) -> [UInt8] {
        guard case .string(let text) = value[name], let bytes = Base64URL.decode(text.utf8) else {
            throw .invalidKeySet("the member \(name) of a key is not base64url")
        }
        return bytes
    }
}
