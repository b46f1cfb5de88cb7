package import TidelogCore

/// The facts that a server keeps in addition to records.
package struct ServedFacts: Sendable {
    /// The document of the schema; `nil` if no server has used the place.
    package var source: String?
    /// The kind of the API.
    package var kind: APIKind
    /// A time in milliseconds that is not before any time that a client has got from the server.
    package var time: Int64
    /// The secrets of the server.
    package var secrets: [Secret]
    /// The identity of the source, while a copy from it is not complete; otherwise `nil`.
    package var unfinishedSource: String?

    /// A secret with its name.
    package struct Secret: Sendable, Hashable {
        package let name: String
        package let bytes: [UInt8]

        package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

        /// The beginning of the names of facts with secrets.
        private static let prefix = "secret "

        /// The secret in the fact called `fact`; `nil` if it is another fact.
        package init?(fact: String, _ bytes: [UInt8]) {
            guard fact.hasPrefix(Self.prefix) else { return nil }
            self.init(String(fact.dropFirst(Self.prefix.count)), bytes)
        }

        /// The name of the fact with the secret.
        package var fact: String { Self.prefix + name }
    }

    package init(
        source: String?, kind: APIKind, time: Int64, secrets: [Secret], unfinishedSource: String? = nil
    ) {
        (self.source, self.kind, self.time, self.secrets) = (source, kind, time, secrets)
        self.unfinishedSource = unfinishedSource
    }

    /// The name of the fact with the identity of the source, in stores and databases.
    package static let copy = "copy"

    /// The error about the use of a place whose copy is not complete.
    package static var isUnfinished: DataStoreError {
        DataStoreError(
            .configurationMismatch, "A copy of another server's data to this place is not complete.",
            recovery: "Run the same `tidelog migrate --from … --to …` again until it ends.")
    }
}
