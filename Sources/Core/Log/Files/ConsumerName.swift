/// The rules for the names of consumers.
package enum ConsumerName {
    /// The name of the consumer that sends local changes to a server. Every store has this consumer. At the creation of
    /// the store the consumer is at position 0.
    package static let outbox = "outbox"

    /// Checks a name that an app chose for a consumer. A valid name has 1 to 64 of the characters `A-Z a-z 0-9 _ . -`,
    /// and is not the name of the outbox.
    package static func check(_ name: String) throws {
        let isAllowed = name.utf8.allSatisfy { byte in
            (byte | 32 >= 97 && byte | 32 <= 122) || (48...57).contains(byte) || [45, 46, 95].contains(byte)
        }
        guard (1...64).contains(name.utf8.count), isAllowed, name != outbox else {
            throw DataStoreError(
                .invalidValue, "This cannot be the name of a consumer.",
                recovery: "Use 1 to 64 letters, digits, `_`, `-` and `.`; `\(outbox)` is taken.")
        }
    }

    static func notFound(_ name: String) -> DataStoreError {
        DataStoreError(
            .notFound, "There is no consumer \(name).", recovery: "Call `consumer(named:)`: it registers the consumer.")
    }
}
