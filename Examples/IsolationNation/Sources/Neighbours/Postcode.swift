/// A British postcode, such as `SW1A 1AA`.
public struct Postcode: Sendable, Hashable {
    /// The postcode in capitals, with one space before its last three characters.
    public let text: String
    /// The one or two letters at the beginning of the postcode, such as `SW`.
    public let area: String

    /// Reads a postcode with or without spaces and capitals. The result is `nil` if `text` is not a postcode.
    public init?(_ text: String) {
        let characters = text.uppercased().filter { $0 != " " }
        guard let match = characters.wholeMatch(of: /([A-Z]{1,2})([0-9][A-Z0-9]?)([0-9][A-Z]{2})/) else { return nil }
        area = String(match.1)
        self.text = "\(match.1)\(match.2) \(match.3)"
    }
}
