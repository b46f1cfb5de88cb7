internal import TidelogSchema
package import TidelogWire

extension Names {
    /// Whether `text` can be the name of an index, a relation or a schema. A name has letters, digits and underscores.
    package static func isName(_ text: String) -> Bool {
        let isLetter: (UInt8) -> Bool = { (97...122).contains($0 | 32) || $0 == UInt8(ascii: "_") }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= Limits.nameByteCount else {
            return false
        }
        return text.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) }
    }
}
