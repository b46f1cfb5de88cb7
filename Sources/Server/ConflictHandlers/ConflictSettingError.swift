/// The reason why a conflict strategy in a setting cannot be used.
package struct ConflictSettingError: Error, Sendable, Hashable {
    /// The reason, as one sentence.
    package let message: String

    init(_ message: String) { self.message = message }
}
