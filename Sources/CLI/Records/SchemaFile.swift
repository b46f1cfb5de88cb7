internal import Tidelog
internal import TidelogGraphQL
internal import TidelogModelgen
internal import TidelogServer

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reads schemas from files.
enum SchemaFile {
    /// Reads the schema in the GraphQL schema language at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func read(_ path: String) throws -> Schema { try document(path).schema }

    /// Reads the document in the GraphQL schema language at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func document(_ path: String) throws -> SchemaDocument {
        let text = try InputSource(path).readAll()
        do { return try SchemaDocument(sdl: text) } catch { throw failure("invalidSchema", error, path, text) }
    }

    /// Makes the API of the schema in the file at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func api(_ path: String) throws -> API { try apiWithSource(path).api }

    /// Makes the API as ``api(_:)`` does, and returns the text of the file too.
    static func apiWithSource(_ path: String) throws -> (api: API, source: String) {
        let text = try InputSource(path).readAll()
        do {
            let api = try API(SchemaDocument(sdl: text))
            return (api, String(decoding: text, as: UTF8.self))
        } catch { throw failure("invalidSchema", error, path, text) }
    }

    /// Reads the options in the file next to the schema at `path` into `options`, if that file exists.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func setOptions(_ options: inout SwiftSource.Options, besideSchemaAt path: String) throws {
        let path = SwiftSource.Options.path(besideSchemaAt: path)
        guard FileManager.default.fileExists(atPath: path) else { return }
        let text = try InputSource(path).readAll()
        do { try options.set(by: text) } catch { throw failure("invalidOption", error, path, text) }
    }

    private static func failure(
        _ code: String, _ error: SchemaDiagnostic, _ path: String, _ text: [UInt8]
    ) -> CommandFailure {
        CommandFailure(
            .usage, code, "\(path):\(error).", recovery: "Correct the file at that place.",
            detail: SourceExcerpt(text, line: error.location.line, column: error.location.column).text)
    }
}

/// A line of a text with a mark below the place of an error.
struct SourceExcerpt {
    let text: String

    init(_ source: [UInt8], line: Int, column: Int) {
        let lines = source.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard line >= 1, line <= lines.count else {
            text = ""
            return
        }
        // Each character must take the number of columns that the position of the mark assumes.
        let written = String(
            String.UnicodeScalarView(
                String(decoding: lines[line - 1], as: UTF8.self).unicodeScalars.map { $0.value < 32 ? " " : $0 }))
        let before = String(String.UnicodeScalarView(written.unicodeScalars.prefix(max(0, column - 1))))
        text = "  \(written)\n  \(String(repeating: " ", count: before.columnCount))^"
    }
}
