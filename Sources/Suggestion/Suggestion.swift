/// Finds the word that the author of a text probably meant.
package enum Suggestion {
    /// `did you mean "…"?` with the candidate most similar to `word`; `nil` if no candidate is similar.
    package static func didYouMean(_ word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map { "did you mean \"\($0)\"?" }
    }

    /// The candidate most similar to `word`; `nil` if no candidate is similar.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let written = Array(word.utf8)
        guard written.count <= 40 else { return nil }
        let folded = written.map(lowercased)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(folded, candidate.utf8.map(lowercased))
            // A short word may have one difference, and a longer word may have two.
            guard distance <= (written.count < 6 ? 1 : 2), distance < best?.distance ?? Int.max else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// The end of a sentence about the unknown `word`: `; did you mean "…"?`, or a full stop if no candidate is similar.
    package static func ending(for word: String, among candidates: [String]) -> String {
        didYouMean(word, among: candidates).map { "; \($0)" } ?? "."
    }

    /// The number of edits that change one word into the other. An edit inserts, removes or replaces a letter, or swaps two
    /// neighbours.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
