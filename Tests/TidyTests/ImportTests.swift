import Testing

/// Imports point one way: System ← LMDB, JSON ← Schema ← Core ← Adapters ← Tidelog ← CLI. JSON and GraphQL do not import Core.
@Suite("Imports")
struct ImportTests {
    private static let system: Set = ["TidelogPlatform", "Dispatch", "TidelogSynchronization"]
    private static let foundation: Set = ["TidelogFoundation"]
    /// For packages of users, programs that measure, and the facade, whose apps import it too.
    private static let wholeFoundation: Set = ["Foundation", "FoundationEssentials"]

    /// The modules that the files of each folder may import. The most specific folder counts.
    private static let allowed: [String: Set<String>] = [
        "Sources/System/Foundation": wholeFoundation,
        "Sources/System/Platform": ["CMount", "CSystem", "Darwin", "Glibc", "Musl"],
        "Sources/System/Synchronization": ["Synchronization", "TidelogPlatform"],
        "Sources/LMDB": system.union(["CLMDB", "CSystem"]),
        "Sources/JSON": system,
        "Sources/GraphQL": ["TidelogSuggestion"],
        "Sources/GraphQLExecution": ["TidelogGraphQL", "TidelogSuggestion"],
        "Sources/GraphQLExecution/Execution": ["TidelogSynchronization"],
        "Sources/Suggestion": [],
        "Sources/Agreement": ["TidelogSchemaDirectives", "TidelogJSON"],
        "Sources/SchemaDirectives": [],
        "Sources/WebSocket": [],
        "Sources/Schema": foundation.union(["TidelogSchemaDirectives", "TidelogJSON"]),
        "Sources/Core": system.union(foundation).union([
            "TidelogLMDB", "TidelogSchema", "TidelogSuggestion", "CChecksum",
        ]),
        "Sources/LogSalvage": foundation.union(["TidelogCore", "TidelogLMDB"]),
        "Sources/RecordJSON": foundation.union(["TidelogCore", "TidelogJSON", "TidelogSuggestion"]),
        "Sources/RecordText": ["TidelogCore", "TidelogSuggestion"],
        "Sources/SDL": ["TidelogGraphQL", "TidelogSchema", "TidelogSuggestion", "TidelogAgreement"],
        "Sources/SDL/Introspection": ["TidelogAgreement", "TidelogGraphQL", "TidelogJSON", "TidelogSchema"],
        "Sources/Modelgen": ["TidelogGraphQL", "TidelogSDL", "TidelogSchema", "TidelogSuggestion", "TidelogAgreement"],
        "Sources/Modelgen/Files": foundation,
        "Sources/Modelgen/Program": system.union(foundation).union(["TidelogModelgen"]),
        "Sources/Modelgen/Tool": system.union(foundation).union(["TidelogSDL"]),
        "Sources/Server/Access": ["TidelogCore", "TidelogAgreement"],
        "Sources/Server/API": ["TidelogCore", "TidelogGraphQLExecution", "TidelogSDL", "TidelogAgreement"],
        "Sources/Server/ConflictHandlers": system.union(["CCurl", "CProcess", "TidelogCore"]),
        "Sources/Server/Conflicts": [
            "TidelogSynchronization", "TidelogCore", "TidelogGraphQLExecution", "TidelogJSON",
        ],
        "Sources/Server/Credentials": ["CCrypto", "TidelogJSON", "TidelogAgreement"],
        "Sources/Server/Filters": ["TidelogSynchronization", "TidelogCore", "TidelogGraphQLExecution"],
        "Sources/Server/Listener": system.union(["CCrypto", "CWebSockets", "TidelogCore", "TidelogWebSocket"]),
        "Sources/Server/Mutations": ["TidelogCore", "TidelogGraphQLExecution", "TidelogJSON", "TidelogAgreement"],
        "Sources/Server/RealTime": [
            "TidelogSynchronization", "TidelogGraphQLExecution", "TidelogWebSocket", "TidelogAgreement",
        ],
        "Sources/Server/Service": [
            "TidelogSynchronization", "TidelogCore", "TidelogGraphQLExecution", "TidelogJSON", "TidelogAgreement",
        ],
        "Sources/Server/Serving": [
            "TidelogSynchronization", "TidelogCore", "TidelogGraphQLExecution", "TidelogJSON", "TidelogWebSocket",
            "TidelogAgreement",
        ],
        "Sources/Server/Store": ["TidelogSynchronization", "TidelogCore"],
        "Sources/Server/Subscriptions": [
            "TidelogSynchronization", "TidelogCore", "TidelogGraphQLExecution", "TidelogAgreement",
        ],
        "Sources/Server/Values": ["TidelogCore", "TidelogGraphQLExecution", "TidelogJSON"],
        "Sources/Postgres/Connection": system.union(["CPostgres", "TidelogCore", "TidelogServer"]),
        "Sources/Postgres/Reading": ["TidelogCore", "TidelogRecordJSON", "TidelogSQLTranslation"],
        "Sources/Postgres/Store": [
            "TidelogSynchronization", "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogServer",
        ],
        "Sources/Postgres/Tables": [
            "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogSQLTranslation", "TidelogServer",
        ],
        "Sources/ClientMachines": foundation.union(["TidelogSchema"]),
        "Sources/Sync/Authorization": ["TidelogAgreement", "TidelogCore", "TidelogJSON"],
        "Sources/Sync/Client": foundation.union([
            "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogWebSocket", "TidelogAgreement",
            "TidelogSynchronization",
        ]),
        "Sources/Transport": foundation,
        "Sources/CurlTransport": foundation.union([
            "CCurl", "TidelogSynchronization", "TidelogCore", "TidelogTransport", "TidelogWebSocket",
        ]),
        "Sources/URLSessionTransport": foundation.union([
            "Foundation", "FoundationNetworking", "TidelogSynchronization", "TidelogTransport",
        ]),
        "Sources/Sync/Network": [
            "Dispatch", "Network", "TidelogCurlTransport", "TidelogTransport", "TidelogURLSessionTransport",
        ],
        "Sources/Sync/API": foundation.union(["TidelogClientMachines", "TidelogCore", "TidelogJSON"]),
        "Sources/Sync/Engine": foundation.union(["TidelogSynchronization", "TidelogCore"]),
        "Sources/Sync/Server": foundation.union([
            "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogAgreement",
        ]),
        "Sources/Adapters/LMDB": system.union(["TidelogCore", "TidelogLMDB"]),
        "Sources/Adapters/SQLite": system.union(["TidelogCore", "TidelogSQLTranslation", "CSQLite"]),
        "Sources/Adapters/SQLTranslation": ["TidelogCore"],
        "Sources/Adapters/InMemory": system.union(foundation).union(["TidelogCore"]),
        "Sources/Adapters/Conformance": system.union(foundation).union(["TidelogCore"]),
        "Sources/Tidelog": [
            "TidelogCore", "TidelogMemoryAdapter", "TidelogLMDBAdapter", "TidelogRecordJSON", "TidelogSDL",
            "TidelogSQLiteAdapter", "TidelogLogSalvage", "TidelogSync",
        ],
        "Sources/Observation": ["Observation", "TidelogCore"],
        "Sources/SwiftUI": ["SwiftUI", "TidelogCore", "TidelogObservation"],
        "Sources/Publishers": ["Combine", "Dispatch", "TidelogSynchronization"],
        "Sources/Facade": wholeFoundation.union(["Combine", "TidelogSynchronization", "Tidelog", "TidelogPublishers"]),
        "Sources/Inspector": ["TidelogCore", "TidelogAgreement", "TidelogServer", "TidelogSync"],
        "Sources/Inspector/Answers": foundation.union([
            "TidelogCore", "TidelogAgreement", "TidelogRecordText", "TidelogServer", "TidelogSync",
        ]),
        "Sources/Inspector/Serving": foundation.union(["TidelogCore", "TidelogServer"]),
        "Sources/CLI": system.union(foundation).union([
            "Tidelog", "TidelogCore", "TidelogCurlTransport", "TidelogGraphQL", "TidelogInspector", "TidelogJSON",
            "TidelogModelgen", "TidelogPostgres", "TidelogRecordJSON", "TidelogRecordText", "TidelogServer",
            "TidelogSuggestion",
            "TidelogSync", "TidelogAgreement",
        ]),
        "Benchmarks": system.union(wholeFoundation).union([
            "CAllocationCounter", "CBaselines", "RawServer", "Tidelog", "TidelogCore", "TidelogJSON",
            "TidelogPostgres", "TidelogRecordJSON", "TidelogServer",
        ]),
        "Benchmarks/Peers": wholeFoundation.union([
            "CPeerLMDB", "CPeerSQLite", "GRDB", "PackageDescription", "Tidelog",
        ]),
        "Examples/AmplifyApp/Sources": ["TidelogAmplify"],
        "Examples/BlogApp/Sources": wholeFoundation.union(["Tidelog", "Blog"]),
        "Examples/IsolationNation/Sources": wholeFoundation.union(["Dispatch", "Neighbours", "Tidelog"]),
        "Examples/NotesApp/Sources": wholeFoundation.union([
            "BackgroundTasks", "SwiftUI", "Tidelog", "TidelogSwiftUI", "Notes",
        ]),
        "Examples/TidePools/Sources": wholeFoundation.union(["Tidelog"]),
        "Examples/TutorialAdapter/Sources": ["Tidelog", "Synchronization"],
    ]

    @Test("every file imports only the modules that its folder may import, and every folder has a rule")
    func imports() {
        var findings: [String] = []
        for file in Repository.files(".swift", below: ["Sources/", "Benchmarks/", "Examples/"]) {
            guard let folder = Self.folder(of: file), let allowed = Self.allowed[folder] else {
                if !file.path.contains("/Tests/"), !file.path.hasSuffix("Package.swift") {
                    findings.append("\(file.path): its folder has no rule")
                }
                continue
            }
            for (index, line) in file.codeLines.enumerated() {
                guard let module = Self.module(line), !allowed.contains(module) else { continue }
                findings.append(file.place(index, "\(folder) does not import \(module)"))
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
    }

    @Test("every rule is needed: its folder exists, and some file there imports each allowed module")
    func needed() {
        let shared = Self.system.union(Self.foundation).union(Self.wholeFoundation)
        var imports: [String: Set<String>] = [:]
        for file in Repository.files(".swift", below: ["Sources/", "Benchmarks/", "Examples/"]) {
            guard let folder = Self.folder(of: file) else { continue }
            imports[folder, default: []].formUnion(file.codeLines.compactMap { Self.module($0) })
        }
        for (folder, modules) in Self.allowed {
            let unused = modules.subtracting(shared).subtracting(imports[folder] ?? []).sorted()
            #expect(imports[folder] != nil, "\(folder) has a rule and no files")
            #expect(unused.isEmpty, "\(folder) imports no \(unused), so its rule need not allow it")
        }
    }

    @Test("imports are found with attributes, access levels and kinds")
    func module() {
        #expect(Self.module("    @_exported public import TidelogCore") == "TidelogCore")
        #expect(Self.module("@_spi(Adapters) public import TidelogCore") == "TidelogCore")
        #expect(Self.module("internal import struct Foundation.URL") == "Foundation")
        #expect(Self.module("@testable import Glibc // why") == "Glibc")
        #expect(Self.module("let important = imports") == nil)
    }

    /// The most specific folder with a rule for `file`.
    private static func folder(of file: SourceFile) -> String? {
        allowed.keys.filter { file.path.hasPrefix($0 + "/") }.max { $0.count < $1.count }
    }

    /// The module that `line` imports, or `nil` if it imports none.
    static func module(_ line: some StringProtocol) -> String? {
        let line = Substring(line)
        guard line.contains("import ") else { return nil }
        let attributes = line.matches(of: /@\w+(?:\(\w+\))?/).map(\.range)
        let start = attributes.last?.upperBound ?? line.startIndex
        let words = line[start...].split { !$0.isLetter && !$0.isNumber && $0 != "_" }
            .drop { ["public", "package", "internal", "fileprivate", "private"].contains($0) }
        guard words.first == "import" else { return nil }
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        let module = words[(words.startIndex + 1)...].first { !kinds.contains(String($0)) }
        return module.map { String($0) }
    }
}
