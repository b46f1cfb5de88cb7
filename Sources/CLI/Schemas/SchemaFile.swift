@_spi(Adapters) internal import Tidelog
internal import TidelogGraphQL
internal import TidelogModelgen
internal import TidelogRecordText
internal import TidelogServer

/// Reads schemas from files: in the GraphQL schema language, or Amplify's `amplify_outputs.json`.
enum SchemaFile {
    /// Reads the schema in the file at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func read(_ path: String) throws -> Schema { try document(path).schema }

    /// Reads the schema and the order of its declarations in the file at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func document(_ path: String) throws -> SchemaDocument {
        let text = try InputSource(path).readAll()
        do { return try SchemaDocument(file: text) } catch { throw failure("invalidSchema", error, at: path, in: text) }
    }

    /// Makes the API of the schema in the file at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func api(_ path: String) throws -> API { try apiWithSource(path).api }

    /// The schema of the store of a server that starts with the file at `path`.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func servedSchema(_ path: String) throws -> Schema { ServerModels.adding(to: try api(path).storedSchema) }

    /// Makes the API as ``api(_:)`` does, and returns the text in the schema language too.
    static func apiWithSource(_ path: String, _ kind: APIKind = .versioned) throws -> (api: API, source: String) {
        let text = try InputSource(path).readAll()
        do {
            let document = try SchemaDocument(file: text)
            return (try API(document, kind), String(decoding: document.sdl, as: UTF8.self))
        } catch { throw failure("invalidSchema", error, at: path, in: text) }
    }

    /// Reads the options in the file next to the schema at `path` into `options`, if that file exists.
    ///
    /// - Throws: ``CommandFailure`` with status 2 that names the line and the column.
    static func setOptions(_ options: inout SwiftSource.Options, besideSchemaAt path: String) throws {
        let path = SwiftSource.Options.path(besideSchemaAt: path)
        guard try FileSystem.exists(path) else { return }
        let text = try InputSource(path).readAll()
        do { try options.set(by: text) } catch { throw failure("invalidOption", error, at: path, in: text) }
    }

    private static func failure(
        _ code: String, _ error: SchemaDiagnostic, at path: String, in text: [UInt8]
    ) -> CommandFailure {
        CommandFailure(
            .usage, code, "\(path):\(error).", recovery: "Correct the file at that place.",
            detail: text.excerpt(line: error.location.line, column: error.location.column))
    }
}
