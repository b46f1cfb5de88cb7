/// The scalars of AppSync that are stored as text and follow their own rules (docs/SCALARS.md).
///
/// The rules accept all values that AppSync is known to accept. In cases of doubt, they accept the value.
public enum TextScalar: String, Sendable, Hashable, CaseIterable {
    /// `local@domain` (RFC 822, without quoted parts and comments).
    case email = "AWSEmail"
    /// Any JSON value (RFC 8259).
    case json = "AWSJSON"
    /// A URL with its scheme (RFC 1738).
    case url = "AWSURL"
    /// A phone number: with a country code after `+`, or a North American number.
    case phone = "AWSPhone"
    /// An IPv4 or IPv6 address, with an optional prefix length (RFC 4632).
    case ipAddress = "AWSIPAddress"

    /// Whether `text` is a value of this scalar.
    public func admits(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { admits(UnsafeRawBufferPointer($0)) }
    }

    /// Whether the UTF-8 text in `bytes` is a value of this scalar. Allocates nothing.
    package func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .email: Self.isEmail(bytes)
        case .json: Self.isJSON(bytes)
        case .url: Self.isURL(bytes)
        case .phone: Self.isPhone(bytes)
        case .ipAddress: Self.isIPAddress(bytes)
        }
    }

    /// A description of the rule for messages.
    package var rule: String {
        switch self {
        case .email: "an address is local@domain"
        case .json: "the text must be one JSON value"
        case .url: "a URL starts with its scheme and has no space and no empty part in its path"
        case .phone: "a phone number has + and 7 to 15 digits, or the 10 digits of a number of North America"
        case .ipAddress: "an address is IPv4 in four parts or IPv6, with an optional prefix length"
        }
    }
}

extension UInt8 {
    @inline(__always)
    var isASCIIDigit: Bool { self &- 48 < 10 }
    @inline(__always)
    var isASCIILetter: Bool { (self | 32) &- 97 < 26 }
    @inline(__always)
    var isASCIIHexDigit: Bool { isASCIIDigit || (self | 32) &- 97 < 6 }
}
