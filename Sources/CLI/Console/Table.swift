/// Rows in aligned columns. Widths are settled by the first rows, so that a long result streams.
struct Table {
    struct Column {
        let title: String
        /// Whether the values stand at the right: numbers.
        var isRight = false
        /// Whether the column is left out where the first rows have nothing in it.
        var isHiddenWhereEmpty = false
    }

    private let columns: [Column]
    private let console: Console
    private let lineWidth: Int?
    private var held: [[String]] = []
    private var widths: [Int]?
    private var shown: [Int] = []

    private static let heldCount = 500

    init(_ columns: [Column], on console: Console) {
        self.columns = columns
        self.console = console
        lineWidth = System.isTerminal(1) ? System.columns(1) : nil
    }

    mutating func add(_ row: [String]) throws {
        guard widths == nil else { return try write(row) }
        held.append(row)
        if held.count == Self.heldCount { try settle() }
    }

    /// Writes what is held back.
    mutating func finish() throws {
        if widths == nil { try settle() }
    }

    private mutating func settle() throws {
        shown = columns.indices.filter { index in
            !columns[index].isHiddenWhereEmpty || held.contains { !$0[index].isEmpty }
        }
        var widths = columns.indices.map { index in
            held.reduce(columns[index].title.columnCount) { max($0, $1[index].columnCount) }
        }
        if let lineWidth {
            var ofShown = shown.map { widths[$0] }
            Self.shrink(&ofShown, to: lineWidth)
            for (index, width) in zip(shown, ofShown) { widths[index] = width }
        }
        self.widths = widths
        try console.output.write(console.outputStyle.bold(line(columns.map(\.title), widths)) + "\n")
        for row in held { try write(row) }
        held = []
    }

    /// Takes from the widest columns first.
    private static func shrink(_ widths: inout [Int], to lineWidth: Int) {
        let room = lineWidth - 2 * (widths.count - 1)
        while widths.reduce(0, +) > room, let widest = widths.max(), widest > 8,
            let index = widths.firstIndex(of: widest)
        {
            widths[index] -= 1
        }
    }

    private func write(_ row: [String]) throws {
        if let widths { try console.output.write(line(row, widths) + "\n") }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        shown.map { cell(row[$0], $0, widths) }.joined(separator: "  ").trimmedRight
    }

    private func cell(_ text: String, _ index: Int, _ widths: [Int]) -> String {
        let limit = lineWidth == nil ? Int.max : widths[index]
        return text.fitted(to: limit).padded(to: widths[index], right: columns[index].isRight)
    }
}

extension String {
    fileprivate var trimmedRight: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
