/// The reason why a value is not valid for a leaf type.
package enum LeafError: Error {
    /// A complete sentence that names the type.
    case sentence(String)
    /// The reason from a custom scalar. The sentence around it depends on the origin of the value.
    case reason(String)

    /// The message for a value that a resolver returned.
    package var message: String {
        switch self {
        case .sentence(let message), .reason(let message): message
        }
    }
}

extension TypeSystem {
    /// Checks that a whole number is in the range of `Int`.
    func checkedInt(_ value: Int64?, _ text: @autoclosure () -> String) throws(LeafError) -> Int64 {
        guard let value, !isIntStrict || Int32(exactly: value) != nil else {
            let bits = isIntStrict ? 32 : 64
            throw .sentence("Int cannot represent non \(bits)-bit signed integer value: \(text())")
        }
        return value
    }
}

extension Double {
    /// Whether the number is finite and has no fraction. Every finite number beyond 2⁵³ has none.
    var isWhole: Bool { isFinite && (magnitude >= 0x1p53 || Int64(exactly: self) != nil) }
}
