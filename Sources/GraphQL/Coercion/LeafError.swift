/// Why a value is none of a leaf type.
package enum LeafError: Error {
    /// A whole sentence that names the type.
    case sentence(String)
    /// What a custom scalar says; the sentence around it depends on where the value comes from.
    case reason(String)

    /// The message where a value is resolved.
    package var message: String {
        switch self {
        case .sentence(let message), .reason(let message): message
        }
    }
}

extension TypeSystem {
    /// A whole number in the range of `Int`.
    func checkedInt(_ value: Int64?, _ text: @autoclosure () -> String) throws(LeafError) -> Int64 {
        guard let value, !isIntStrict || Int32(exactly: value) != nil else {
            let bits = isIntStrict ? 32 : 64
            throw .sentence("Int cannot represent non \(bits)-bit signed integer value: \(text())")
        }
        return value
    }
}

extension Double {
    /// Whether it is finite and has no fraction; so are all beyond 2⁵³.
    var isWhole: Bool { isFinite && (magnitude >= 0x1p53 || Int64(exactly: self) != nil) }
}
