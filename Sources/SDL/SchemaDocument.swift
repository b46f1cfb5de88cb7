package import TidelogGraphQL
public import TidelogSchema

/// A document in the GraphQL schema language: the schema that it declares, and the order of the declarations.
public struct SchemaDocument: Sendable, Hashable {
    /// The schema that the document declares.
    public let schema: Schema
    /// The names of each model's fields and relations in the order of the document, by the model's name. Members that are
    /// implied but not declared are not included.
    public let memberNames: [String: [String]]
    /// The document itself. Extensions are merged into their types.
    package let document: Document
    /// The document's text in the schema language.
    package let sdl: [UInt8]

    /// Reads a document of UTF-8 bytes.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first error.
    public init(sdl: [UInt8]) throws(SchemaDiagnostic) {
        let document: Document
        do {
            document = try Document(parsing: sdl)
        } catch {
            throw SchemaDiagnostic(error.message, at: error.location, suggestion: error.suggestion)
        }
        var lowering = Lowering(document, source: sdl)
        schema = try lowering.schema()
        memberNames = lowering.memberNames
        self.document = lowering.document
        self.sdl = sdl
    }

    /// Reads the models from the text of Amplify's `amplify_outputs.json`, which describes them under
    /// `data.model_introspection`. The description alone is read too.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first error. Its message names the value, and its position is the beginning of
    ///   the text, except for text that is not JSON.
    public init(introspection json: [UInt8]) throws(SchemaDiagnostic) {
        let document = try ModelIntrospection(json: json).document()
        do {
            try self.init(sdl: Array(document.printed().utf8))
        } catch {
            // A position in the printed document would mean nothing to the author of the file.
            throw SchemaDiagnostic(error.message, at: SourceLocation(line: 1, column: 1), suggestion: error.suggestion)
        }
    }

    /// Reads a schema file: a text that begins with a brace is JSON, and any other text is in the schema language.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first error.
    public init(file contents: [UInt8]) throws(SchemaDiagnostic) {
        let blanks = Array(" \t\r\n".utf8)
        if contents.first(where: { !blanks.contains($0) }) == UInt8(ascii: "{") {
            try self.init(introspection: contents)
        } else {
            try self.init(sdl: contents)
        }
    }

    /// Makes a diagnostic for a position in the document.
    package func diagnostic(_ message: String, at span: SourceSpan, suggestion: String? = nil) -> SchemaDiagnostic {
        SchemaDiagnostic(message, at: SourceLocation(offset: span.start, in: sdl), suggestion: suggestion)
    }
}

extension Schema {
    /// Reads a schema from a document in the GraphQL schema language with Amplify's directives (transformer version 2).
    ///
    /// Types with `@model` become models, and other object types become embedded types. Query, Mutation, Subscription, inputs
    /// and directive definitions are left out. Types that no row can contain are left out too, unless a model uses them. The
    /// schema makes explicit what the directives imply: `id`, timestamps, foreign keys, the indexes for relations, and join
    /// models. So relations always name their fields.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first error.
    public init(sdl: String) throws(SchemaDiagnostic) { try self.init(sdl: Array(sdl.utf8)) }

    /// Reads a schema from a document of UTF-8 bytes, like ``init(sdl:)``.
    public init(sdl: [UInt8]) throws(SchemaDiagnostic) { self = try SchemaDocument(sdl: sdl).schema }
}
