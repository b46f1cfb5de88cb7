internal import TidelogRecordText

extension EventValues {
    /// The values on one line: `rating 3 → 5`. A field without a value has a dash.
    ///
    /// - Parameter width: The columns for the line. Long values are cut so that the line is not longer.
    func text(fitting width: Int? = nil) -> String {
        let line = text(valueWidth: .max)
        guard let width, line.columnCount > width else { return line }
        // All values are cut to the same width, so that as many fields as possible are shown.
        for valueWidth in stride(from: max(8, width / 2), through: 8, by: -4) {
            let line = text(valueWidth: valueWidth)
            if line.columnCount <= width { return line }
        }
        return text(valueWidth: 8).fitted(to: width)
    }

    private func text(valueWidth: Int) -> String {
        let parts = changes.map { change in
            let before = change.before?.fitted(to: valueWidth)
            let after = change.after?.fitted(to: valueWidth)
            return switch kind {
            case .set: "\(change.name) \(after ?? "–")"
            case .removed: "\(change.name) \(before ?? "–")"
            case .changed where isBeforeKnown: "\(change.name) \(before ?? "–") → \(after ?? "–")"
            case .changed: "\(change.name) → \(after ?? "–")"
            }
        }
        return (kind == .removed && !parts.isEmpty ? "was " : "") + parts.joined(separator: ", ")
    }
}
