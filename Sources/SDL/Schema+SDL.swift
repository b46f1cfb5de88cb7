public import TidelogCore
package import TidelogGraphQL

extension Schema {
    /// The schema that a document in the GraphQL schema language with Amplify's directives (transformer version 2)
    /// declares.
    ///
    /// Types with `@model` become models, other object types embedded types. Query, Mutation, Subscription, inputs and
    /// directive definitions are left out, as are types that no row could hold and no model uses. What the directives
    /// imply is made explicit: `id`, timestamps, foreign keys, the indexes that relations need, and the models that join
    /// two others; so relations always name their fields.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first thing wrong.
    public init(sdl: String) throws(SchemaDiagnostic) { try self.init(sdl: Array(sdl.utf8)) }

    /// The schema that a document of UTF-8 bytes declares; as ``init(sdl:)``.
    public init(sdl: [UInt8]) throws(SchemaDiagnostic) { self = try SchemaDocument(sdl: sdl).schema }
}

/// A document in the GraphQL schema language: the schema that it declares, and in which order it does.
public struct SchemaDocument: Sendable, Hashable {
    /// What the document declares.
    public let schema: Schema
    /// The names of each model's fields and relations as they follow each other in the document, by the model's name. What
    /// is implied and not declared is not among them.
    public let memberNames: [String: [String]]
    /// The document itself, with what extends a type added to the type.
    package let document: Document
    private let source: [UInt8]

    /// Reads a document of UTF-8 bytes.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first thing wrong.
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
        source = sdl
    }

    /// What is wrong at a place of the document.
    package func diagnostic(
        _ message: String, at span: SourceSpan, suggestion: String? = nil
    ) -> SchemaDiagnostic {
        SchemaDiagnostic(message, at: SourceLocation(offset: span.start, in: source), suggestion: suggestion)
    }
}
