/// Rows in aligned columns. Widths are settled by the first rows, so that a long result streams.
struct Table {
    struct Column {
        let title: String
        /// Whether the values stand at the right: numbers.
        var isRight = false
    }

    private let columns: [Column]
    private let console: Console
    private let lineWidth: Int?
    private var held: [[String]] = []
    private var widths: [Int]?

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
        var widths = columns.indices.map { index in
            held.reduce(columns[index].title.columnCount) { max($0, $1[index].columnCount) }
        }
        if let lineWidth { Self.shrink(&widths, to: lineWidth) }
        self.widths = widths
        let titles = columns.indices.map { cell(columns[$0].title, $0, widths) }.joined(separator: "  ")
        try console.output.write(console.outputStyle.bold(titles.trimmedRight) + "\n")
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
        guard let widths else { return }
        let line = row.indices.map { cell(row[$0], $0, widths) }.joined(separator: "  ")
        try console.output.write(line.trimmedRight + "\n")
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
