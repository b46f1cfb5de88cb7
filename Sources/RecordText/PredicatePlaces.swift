/// The places of fields in the text of a predicate, in order.
struct PredicatePlaces {
    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// The place where the field called `name` is mentioned next, outside of string literals.
    ///
    /// - Parameter isInside: Whether the field is one of a related record. It may then follow the relation and a point.
    mutating func next(_ name: String, isInside: Bool) -> (line: Int, column: Int) {
        let wanted = Array(name.unicodeScalars)
        var isInText = false
        while index < scalars.count {
            let scalar = scalars[index]
            if isInText, scalar == "\\" {
                index += 2
                continue
            }
            if scalar == "\"" { isInText.toggle() }
            if !isInText, scalars[index...].starts(with: wanted), isWord(wanted.count, isInside: isInside) {
                defer { index += wanted.count }
                return place(index)
            }
            index += 1
        }
        return (1, 1)
    }

    private func isWord(_ count: Int, isInside: Bool) -> Bool {
        let isPart = { (scalar: Unicode.Scalar) in scalar == "_" || scalar == "." || scalar.properties.isAlphabetic }
        if index > 0, isPart(scalars[index - 1]), !isInside || scalars[index - 1] != "." { return false }
        guard index + count < scalars.count else { return true }
        let after = scalars[index + count]
        return after == "." || !isPart(after) && !("0"..."9").contains(after)
    }

    private func place(_ index: Int) -> (line: Int, column: Int) {
        let before = scalars[..<index]
        let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return (before.count { $0 == "\n" } + 1, index - lineStart + 1)
    }
}
