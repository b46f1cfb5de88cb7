import Testing

/// Two values of `String` are equal if they are canonically equivalent, so texts with different bytes can be the same key of a
/// dictionary. If a key or a part of a value is a text of a client or of a store, it is an `ExactText` or bytes.
@Suite("Texts that are keys or are compared")
struct ExactTextTests {
    private static let folders = [
        "Sources/Server/", "Sources/GraphQL/", "Sources/GraphQLExecution/", "Sources/Agreement/", "Sources/Schema/",
        "Sources/Core/",
    ]

    /// Files that may have keys or parts of values of the type `String`. The reason says why their texts are ASCII, or why
    /// their equality does not matter.
    private static let allowed = [
        Exception("Sources/Schema/Temporal/Temporal.swift", "dates and times are ASCII"),
        Exception("Sources/Core/Log/Events/SchemaUpcasts.swift", "names of a schema"),
        Exception("Sources/LogSalvage/Log/SalvagedMetadata.swift", "names of consumers, which are ASCII"),
        Exception("Sources/Core/Log/Tail/RecentEvents.swift", "names of consumers, which are ASCII"),
        Exception("Sources/Core/Store/Writing/StoreTransaction.swift", "names of consumers, which are ASCII"),
        Exception("Sources/Core/Predicate/Parsing/PredicateParser.swift", "words of the language of predicates"),
        Exception("Sources/Schema/Values/Record.swift", "names of a schema"),
        Exception("Sources/Core/Encoding/Rows/RecordDecoder.swift", "names of a schema"),
        Exception("Sources/Core/Encoding/Layouts/FieldLayout.swift", "names of a schema"),
        Exception("Sources/Core/Adapter/OrderedTables.swift", "names of tables"),
        Exception("Sources/Core/Schemas/SchemaChange.swift", "a sentence about a schema"),
        Exception("Sources/Core/Schemas/StoredSchema.swift", "names of a schema"),
        Exception("Sources/GraphQL/AST/Name.swift", "the lexer admits only ASCII in names"),
        Exception("Sources/GraphQL/AST/StringValue.swift", "it has an equality of its own"),
        Exception("Sources/GraphQL/AST/Value.swift", "numbers and names"),
        Exception("Sources/GraphQLExecution/Building/TypeSystemBuilder.swift", "names of a type system"),
        Exception("Sources/GraphQLExecution/Coercion/VariableCoercion.swift", "names of a document's variables"),
        Exception("Sources/GraphQLExecution/Execution/SelectionPlanner.swift", "names of a document"),
        Exception("Sources/GraphQL/Source/ExactText.swift", "the exact text itself"),
        Exception("Sources/GraphQLExecution/Validation/FieldOccurrence.swift", "names of a document"),
        Exception("Sources/GraphQLExecution/Validation/LimitCheck.swift", "names of a document"),
        Exception("Sources/GraphQLExecution/Validation/Validator.swift", "names of a document"),
        Exception("Sources/GraphQLExecution/Validation/Validator+Selections.swift", "names of a document"),
        Exception("Sources/Server/API/APIBuilder.swift", "names of a schema"),
        Exception("Sources/Server/RealTime/RealTimeCredentials.swift", "only tests compare credentials"),
        Exception("Sources/Server/Service/RequestContext.swift", "names of models"),
        Exception("Sources/Server/Service/RequestReport.swift", "names of a document"),
        Exception("Sources/Server/Service/ServiceOptions.swift", "names of models"),
        Exception("Sources/Server/Subscriptions/Subscriptions.swift", "names of models"),
        Exception("Sources/Server/Store/VersionedStore.swift", "ids of mutations, which are ASCII, and digests"),
        Exception("Sources/Server/Listener/HTTP/HTTPRequest.swift", "only tests compare requests"),
        Exception("Sources/Server/Listener/HTTP/HTTPHeaders.swift", "only tests compare header fields"),
        Exception("Sources/Schema/Rules/ValidationRule.swift", "rules of a schema, compared by their bytes"),
        Exception("Sources/SchemaDirectives/DirectiveText.swift", "directives of a schema"),
        Exception("Sources/Agreement/RealTime/RealTimeClientMessage.swift", "only tests compare messages"),
        Exception("Sources/Agreement/RealTime/RealTimeError.swift", "only tests compare messages"),
        Exception("Sources/Agreement/RealTime/RealTimeServerMessage.swift", "only tests compare messages"),
    ]

    /// The places at which `pattern` matches one of the lines that `lines` gives for a file; files of the list are left out.
    private static func findings(
        _ pattern: Regex<AnyRegexOutput>, in lines: (SourceFile) -> [(index: Int, line: Substring)]
    ) -> [String] {
        var findings: [String] = []
        for file in Repository.files(".swift", below: folders) where !allowed.covers(file.path) {
            for (index, line) in lines(file) {
                if let match = line.firstMatch(of: pattern) {
                    findings.append(file.place(index, String(line[match.range])))
                }
            }
        }
        return findings
    }

    private static func all(_ file: SourceFile) -> [(index: Int, line: Substring)] {
        file.codeLines.enumerated().map { ($0.offset, $0.element) }
    }

    /// The lines that declare the properties of a type, or of the state that its lock protects.
    private static func declarations(_ file: SourceFile) -> [(index: Int, line: Substring)] {
        var isInState = false
        return all(file).filter { _, line in
            let indentation = line.prefix { $0 == " " }.count
            if indentation == 4 { isInState = line.contains("struct State") }
            return (indentation == 4 || indentation == 8 && isInState) && line.last != "{"
        }
    }

    @Test(
        "no mutable dictionary or set of a type has keys of the type String, except in the listed files")
    func keys() throws {
        let pattern = try Regex(#"\bvar \w+: (\[String: |Set<String>)|Mutex(<|\()(\[String: |Set<String>)"#)
        let findings = Self.findings(pattern, in: Self.declarations)
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no Equatable or Hashable type stores a text as a String, except in the listed files")
    func parts() throws {
        let pattern = try Regex(
            #"\b(let|var) (id|identity|key|operationName|owner|query|subject|text|token|value): String\b"#)
        let findings = Self.findings(pattern) { file in
            let isCompared = file.codeLines.contains { $0.contains("Hashable") || $0.contains("Equatable") }
            return isCompared ? Self.declarations(file) : []
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("no text of a client is compared with `==`, except in the listed files")
    func comparisons() throws {
        let pattern = try Regex(
            #"\b(claim|group|identity|operationName|query|subject|title|text) (==|!=) (?!nil\b|\.)"#)
        let findings = Self.findings(pattern, in: Self.all)
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("every file on the list of exceptions exists")
    func list() {
        for exception in Self.allowed { #expect(Repository.has(exception.path), "\(exception.path)") }
    }
}
