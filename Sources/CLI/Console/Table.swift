internal import TidelogRecordText

/// Rows in aligned columns. The first rows decide the widths, so that a long result can be written as it is read.
///
/// If the terminal is too narrow, texts are cut first, and then columns are left out.
struct Table {
    struct Column {
        let title: String
        /// Whether the values are aligned to the right. These are numbers, which are never cut.
        var isRight = false
        /// Whether the column is left out if the first rows have no value in it.
        var isHiddenWhereEmpty = false
        /// The smallest number of characters to which a value is cut; `.max` for values that are never cut.
        var least = 8
        /// Whether the column is shown even if the terminal is too narrow.
        var isKept = false
        /// Whether this column is left out before other columns are.
        var isDispensable = false
    }

    private let columns: [Column]
    private let console: Console
    private let lineWidth: Int?
    private var held: [[String]] = []
    private var widths: [Int]?
    private var shown: [Int] = []
    /// The titles of the columns that were left out because the terminal is too narrow.
    private(set) var leftOut: [String] = []

    private static let heldCount = 500

    init(_ columns: [Column], on console: Console) {
        self.columns = columns
        self.console = console
        lineWidth = System.isTerminal(1) ? System.columns(1) : nil
    }

    mutating func add(_ row: [String]) throws {
        // A row must be one line, in a pipe as well.
        let row = row.map(\.withEscapedControls)
        guard widths == nil else { return try write(row) }
        held.append(row)
        if held.count == Self.heldCount { try settle() }
    }

    /// Writes the rows that are still held back.
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
            leaveOut(widths, lineWidth)
            shrink(&widths, lineWidth)
        }
        self.widths = widths
        try console.output.write(console.outputStyle.bold(line(columns.map(\.title), widths)) + "\n")
        for row in held { try write(row) }
        held = []
    }

    /// Leaves columns out until the remaining ones fit when they are cut as far as possible.
    private mutating func leaveOut(_ widths: [Int], _ lineWidth: Int) {
        var gone: Set<Int> = []
        while shown.reduce(-2, { $0 + 2 + least($1, widths) }) > lineWidth {
            let candidates = shown.filter { !columns[$0].isKept }
            guard let next = candidates.last(where: { columns[$0].isDispensable }) ?? candidates.last else { break }
            gone.insert(next)
            shown.removeAll { $0 == next }
        }
        leftOut = gone.sorted().map { columns[$0].title }
    }

    /// Shrinks the columns until they fit, always the widest one next.
    private func shrink(_ widths: inout [Int], _ lineWidth: Int) {
        while shown.reduce(-2, { $0 + 2 + widths[$1] }) > lineWidth {
            let candidates = shown.filter { widths[$0] > least($0, widths) }
            guard let widest = candidates.map({ widths[$0] }).max(),
                let index = candidates.first(where: { widths[$0] == widest })
            else { return }
            widths[index] -= 1
        }
    }

    /// The smallest width of the column at `index`.
    private func least(_ index: Int, _ widths: [Int]) -> Int {
        columns[index].isRight ? widths[index] : min(columns[index].least, widths[index])
    }

    private func write(_ row: [String]) throws {
        if let widths { try console.output.write(line(row, widths) + "\n") }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        shown.map { cell(row[$0], $0, widths) }.joined(separator: "  ").trimmedRight
    }

    private func cell(_ text: String, _ index: Int, _ widths: [Int]) -> String {
        let isCut = lineWidth != nil && columns[index].least < .max && !columns[index].isRight
        let limit = isCut ? widths[index] : .max
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
