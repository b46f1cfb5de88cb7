/// The server and the person that a store is synced with. After a store was synced with one identity, it is not synced with
/// another.
package struct SyncIdentity: NoteValue {
    /// The address of the server.
    package var endpoint: String
    /// The issuer of the person's token; `nil` without a token.
    package var issuer: String?
    /// The subject of the person's token; `nil` without a token.
    package var subject: String?

    package init(endpoint: String, issuer: String? = nil, subject: String? = nil) {
        self.endpoint = endpoint
        self.issuer = issuer
        self.subject = subject
    }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self.init(
            endpoint: try decoder.text(), issuer: try decoder.optionalText(), subject: try decoder.optionalText())
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(endpoint)
        encoder.append(issuer)
        encoder.append(subject)
    }
}
