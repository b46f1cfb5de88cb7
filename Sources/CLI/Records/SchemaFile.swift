internal import Tidelog
internal import TidelogGraphQL

/// A schema in a file.
enum SchemaFile {
    /// Reads the schema in the GraphQL schema language at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that says line and column.
    static func read(_ path: String) throws -> Schema {
        let text = try InputSource(path).readAll()
        do {
            return try Schema(sdl: text)
        } catch {
            throw CommandFailure(
                .usage, "invalidSchema", "\(path):\(error).", recovery: "Correct the schema at that place.",
                detail: SourceExcerpt(text, line: error.location.line, column: error.location.column).text)
        }
    }
}

/// A line of a text with a mark beneath the place that is meant.
struct SourceExcerpt {
    let text: String

    init(_ source: [UInt8], line: Int, column: Int) {
        let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard line >= 1, line <= lines.count else {
            text = ""
            return
        }
        let written = String(decoding: lines[line - 1], as: UTF8.self)
        let before = String(String.UnicodeScalarView(written.unicodeScalars.prefix(max(0, column - 1))))
        text = "  \(written)\n  \(String(repeating: " ", count: before.columnCount))^"
    }
}
