// swift-tools-version: 6.2
import PackageDescription

// Where there is no LMDB 0.9, a package with its sources takes the place of the system's library (decision 0111). On macOS it
// is in the folder next to this one, and everywhere in the folder that the environment variable TIDELOG_LMDB names.
#if os(macOS)
    let lmdbFolder: String? = Context.environment["TIDELOG_LMDB"] ?? "\(Context.packageDirectory)/../tidelog-lmdb"
#else
    let lmdbFolder: String? = Context.environment["TIDELOG_LMDB"]
#endif
let lmdb: Target.Dependency = lmdbFolder == nil ? "CLMDB" : .product(name: "CLMDB", package: "tidelog-lmdb")

// A resource needs all of Foundation on Linux, where no system reads the manifest of privacy.
#if os(macOS)
    let privacyResources: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
    let privacyExclusions: [String] = []
#else
    let privacyResources: [Resource] = []
    let privacyExclusions = ["PrivacyInfo.xcprivacy"]
#endif

// Targets carry the prefix, folders do not: `TidelogCore` lives at `Sources/Core`.
// Imports point one way: System ← LMDB, JSON ← Schema ← Core ← Adapters, Salvage ← CLI. GraphQL and JSON do not import Core.
let package = Package(
    name: "tidelog",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Tidelog", targets: ["Tidelog"]),
        .library(name: "TidelogObservation", targets: ["TidelogObservation"]),
        .library(name: "TidelogSwiftUI", targets: ["TidelogSwiftUI"]),
        .library(name: "TidelogPublishers", targets: ["TidelogPublishers"]),
        .library(name: "TidelogAmplify", targets: ["TidelogAmplify"]),
        .library(name: "TidelogInspector", targets: ["TidelogInspector"]),
        .library(name: "TidelogConformance", targets: ["TidelogConformance"]),
        .executable(name: "tidelog", targets: ["TidelogCLI"]),
        .plugin(name: "ModelgenPlugin", targets: ["ModelgenPlugin"]),
        .plugin(name: "ModelgenCommand", targets: ["ModelgenCommand"]),
    ],
    dependencies: lmdbFolder.map { [.package(name: "tidelog-lmdb", path: $0)] } ?? [],
    targets: [
        // System libraries and thin C shims.
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // Only the server uses these, except libcurl, which syncing uses too.
        .systemLibrary(
            name: "CWebSockets", path: "Sources/System/CWebSockets", pkgConfig: "libwebsockets",
            providers: [.apt(["libwebsockets-dev", "libssl-dev"]), .brew(["libwebsockets", "openssl@3"])]),
        .systemLibrary(
            name: "CCrypto", path: "Sources/System/CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CPostgres", path: "Sources/System/CPostgres", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CProcess", path: "Sources/System/CProcess"),
        .systemLibrary(name: "CSystem", path: "Sources/System/CSystem"),
        .target(name: "CChecksum", path: "Sources/System/CChecksum"),
        .target(name: "CMount", path: "Sources/System/CMount"),
        // The C library of each platform, under one name.
        .target(name: "TidelogPlatform", dependencies: ["CMount", "CSystem"], path: "Sources/System/Platform"),
        // The smallest Foundation that the platform has, under one name.
        .target(name: "TidelogFoundation", path: "Sources/System/Foundation"),
        // Atomic values and the mutex, which `scripts/sanitize thread` replaces by one that ThreadSanitizer sees.
        .target(
            name: "TidelogSynchronization", dependencies: ["TidelogPlatform"], path: "Sources/System/Synchronization"),

        // Schemas, their values and the errors of all modules. The model generator needs nothing else of the engine.
        .target(
            name: "TidelogSchema", dependencies: ["TidelogFoundation", "TidelogSchemaDirectives", "TidelogJSON"],
            path: "Sources/Schema"),
        // The text of directives, which schemas keep.
        .target(name: "TidelogSchemaDirectives", path: "Sources/SchemaDirectives"),

        // The engine.
        .target(
            name: "TidelogLMDB", dependencies: ["TidelogSynchronization", "TidelogPlatform", "CSystem", lmdb],
            path: "Sources/LMDB"),
        .target(
            name: "TidelogCore",
            dependencies: [
                "TidelogFoundation", "TidelogSynchronization",
                "TidelogPlatform", "TidelogLMDB", "TidelogSchema", "TidelogSuggestion", "CChecksum",
            ],
            path: "Sources/Core", exclude: privacyExclusions, resources: privacyResources),

        // Saves the good events of a damaged log. Opening a store does not need it.
        .target(
            name: "TidelogLogSalvage", dependencies: ["TidelogFoundation", "TidelogCore", "TidelogLMDB"],
            path: "Sources/LogSalvage"),

        // Languages: no I/O, and nothing of Core.
        .target(name: "TidelogJSON", path: "Sources/JSON"),
        .target(name: "TidelogGraphQL", dependencies: ["TidelogSuggestion"], path: "Sources/GraphQL"),
        // The word that the author of a text probably meant, for error messages.
        .target(name: "TidelogSuggestion", path: "Sources/Suggestion"),

        // Rules that clients and servers share. These modules do no I/O.
        .target(
            name: "TidelogAgreement", dependencies: ["TidelogSchemaDirectives", "TidelogJSON"],
            path: "Sources/Agreement"),
        .target(name: "TidelogWebSocket", path: "Sources/WebSocket"),

        // Bridges from the languages to schemas and records.
        .target(
            name: "TidelogRecordJSON",
            dependencies: ["TidelogFoundation", "TidelogCore", "TidelogJSON", "TidelogSuggestion"],
            path: "Sources/RecordJSON"),
        // Values, keys, predicates and events in the words that people read and write.
        .target(
            name: "TidelogRecordText", dependencies: ["TidelogCore", "TidelogSuggestion"],
            path: "Sources/RecordText"),
        .target(
            name: "TidelogSDL",
            dependencies: ["TidelogGraphQL", "TidelogJSON", "TidelogSchema", "TidelogSuggestion", "TidelogAgreement"],
            path: "Sources/SDL"),
        .target(
            name: "TidelogModelgen",
            dependencies: [
                "TidelogFoundation", "TidelogPlatform", "TidelogGraphQL", "TidelogSchema", "TidelogSDL",
                "TidelogSuggestion", "TidelogAgreement",
            ],
            path: "Sources/Modelgen", exclude: ["Program"]),

        // Requests in GraphQL, validated and executed. Schemas and the model generator need only the language.
        .target(
            name: "TidelogGraphQLExecution",
            dependencies: ["TidelogSynchronization", "TidelogGraphQL", "TidelogSuggestion"],
            path: "Sources/GraphQLExecution"),

        // A server: the API of a schema, a service that answers its requests over a store, and its sockets.
        .target(
            name: "TidelogServer",
            dependencies: [
                "TidelogSynchronization",
                "TidelogPlatform",
                "CCrypto", "CCurl", "CProcess", "CWebSockets", "TidelogCore", "TidelogGraphQLExecution", "TidelogJSON",
                "TidelogSDL", "TidelogWebSocket", "TidelogAgreement",
            ],
            path: "Sources/Server"),

        // A server's records in PostgreSQL. Only servers link it, so that an app needs no libpq.
        .target(
            name: "TidelogPostgres",
            dependencies: [
                "TidelogSynchronization", "TidelogPlatform", "CPostgres", "TidelogCore", "TidelogJSON",
                "TidelogRecordJSON", "TidelogSQLTranslation", "TidelogServer",
            ],
            path: "Sources/Postgres"),

        // The decisions of syncing as pure machines: no clock, no I/O, no locks. They are compiled at the same time as Core.
        .target(
            name: "TidelogClientMachines", dependencies: ["TidelogFoundation", "TidelogSchema"],
            path: "Sources/ClientMachines"),
        // Requests and WebSockets of clients: the interface, and one implementation for each kind of system.
        .target(name: "TidelogTransport", dependencies: ["TidelogFoundation"], path: "Sources/Transport"),
        .target(
            name: "TidelogCurlTransport",
            dependencies: [
                "TidelogFoundation", "TidelogSynchronization", "CCurl", "TidelogCore", "TidelogTransport",
                "TidelogWebSocket",
            ],
            path: "Sources/CurlTransport"),
        .target(
            name: "TidelogURLSessionTransport",
            dependencies: ["TidelogFoundation", "TidelogSynchronization", "TidelogTransport"],
            path: "Sources/URLSessionTransport"),
        // Syncing with a server: what carries out the machines' actions.
        .target(
            name: "TidelogSync",
            dependencies: [
                "TidelogFoundation", "TidelogSynchronization",
                "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogClientMachines", "TidelogTransport",
                "TidelogWebSocket", "TidelogAgreement",
                .target(name: "TidelogCurlTransport", condition: .when(platforms: [.linux])),
                .target(
                    name: "TidelogURLSessionTransport",
                    condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS, .macCatalyst])),
            ],
            path: "Sources/Sync"),

        // Swift models from schemas: a tool without adapters, so that it is built quickly, and what runs it.
        .executableTarget(
            name: "tidelog-modelgen", dependencies: ["TidelogPlatform", "TidelogModelgen"],
            path: "Sources/Modelgen/Program"),
        .plugin(name: "ModelgenPlugin", capability: .buildTool(), dependencies: ["tidelog-modelgen"]),
        .plugin(
            name: "ModelgenCommand",
            capability: .command(
                intent: .custom(verb: "generate-models", description: "Writes Swift models of *.graphql files"),
                permissions: [.writeToPackageDirectory(reason: "Writes the models next to their schema.")]),
            dependencies: ["tidelog-modelgen"]),

        // Adapters know rows, not events.
        .target(
            name: "TidelogLMDBAdapter",
            dependencies: ["TidelogSynchronization", "TidelogPlatform", "TidelogCore", "TidelogLMDB"],
            path: "Sources/Adapters/LMDB"),
        // Queries as conditions that a database with SQL checks.
        .target(
            name: "TidelogSQLTranslation", dependencies: ["TidelogCore"], path: "Sources/Adapters/SQLTranslation"),
        .target(
            name: "TidelogSQLiteAdapter",
            dependencies: [
                "TidelogSynchronization", "TidelogPlatform", "TidelogCore", "TidelogSQLTranslation", "CSQLite",
            ],
            path: "Sources/Adapters/SQLite"),
        .target(
            name: "TidelogMemoryAdapter",
            dependencies: ["TidelogFoundation", "TidelogSynchronization", "TidelogPlatform", "TidelogCore"],
            path: "Sources/Adapters/InMemory"),
        .target(
            name: "TidelogConformance", dependencies: ["TidelogFoundation", "TidelogSynchronization", "TidelogCore"],
            path: "Sources/Adapters/Conformance"),

        // The module that an app imports.
        .target(
            name: "Tidelog",
            dependencies: [
                "TidelogCore", "TidelogLMDBAdapter", "TidelogSQLiteAdapter", "TidelogMemoryAdapter",
                "TidelogRecordJSON", "TidelogLogSalvage", "TidelogSDL", "TidelogSync",
            ],
            path: "Sources/Tidelog"),
        // The records of a query for views. Only apps that import these products compile them.
        .target(name: "TidelogObservation", dependencies: ["TidelogCore"], path: "Sources/Observation"),
        .target(name: "TidelogSwiftUI", dependencies: ["TidelogCore", "TidelogObservation"], path: "Sources/SwiftUI"),
        // Publishers of sequences, and the part of Combine that apps need on systems without it.
        .target(name: "TidelogPublishers", dependencies: ["TidelogSynchronization"], path: "Sources/Publishers"),
        // Amplify DataStore's calls, for apps that were written for it. Nothing imports it.
        .target(
            name: "TidelogAmplify", dependencies: ["TidelogSynchronization", "Tidelog", "TidelogPublishers"],
            path: "Sources/Facade"),
        // A page in the browser that shows a store. Only apps that import this product compile it.
        .target(
            name: "TidelogInspector",
            dependencies: [
                "TidelogFoundation", "TidelogCore", "TidelogAgreement", "TidelogRecordText", "TidelogServer",
                "TidelogSync",
            ],
            path: "Sources/Inspector", resources: [.embedInCode("Page")]),
        .executableTarget(
            name: "TidelogCLI",
            dependencies: [
                "TidelogCurlTransport", "TidelogFoundation", "TidelogSynchronization",
                "TidelogPlatform",
                "Tidelog", "TidelogInspector", "TidelogJSON", "TidelogGraphQL", "TidelogModelgen", "TidelogPostgres",
                "TidelogRecordJSON", "TidelogRecordText", "TidelogSDL", "TidelogServer", "TidelogSuggestion",
                "TidelogSync",
                "TidelogAgreement",
            ],
            path: "Sources/CLI"),

        // Benchmarks of Tidelog and of raw LMDB and raw SQLite, which are written in C. They are no product, but this package
        // builds their program.
        .target(
            name: "CBaselines", dependencies: ["CChecksum", lmdb, "CSQLite"], path: "Benchmarks/Baselines",
            linkerSettings: [.linkedLibrary("sqlite3")] + (lmdbFolder == nil ? [.linkedLibrary("lmdb")] : [])),
        .target(name: "CAllocationCounter", path: "Benchmarks/AllocationCounter"),
        .executableTarget(
            name: "tidelog-bench",
            dependencies: [
                "CAllocationCounter", "CBaselines", "RawServer", "Tidelog", "TidelogCore", "TidelogJSON",
                "TidelogPostgres", "TidelogRecordJSON", "TidelogServer", "TidelogSynchronization",
            ],
            path: "Benchmarks/Suite", exclude: ["schema.graphql"]),

        // Crash and power-loss machinery.
        .target(
            name: "FaultHarness", dependencies: ["TidelogSynchronization", "TidelogPlatform"],
            path: "Tests/Support/FaultHarness"),
        .executableTarget(
            name: "FaultVictim", dependencies: [lmdb, "CSQLite"], path: "Tests/Support/FaultVictim"),
        .executableTarget(
            name: "LifecycleVictim", dependencies: ["Tidelog", "TidelogLMDB"], path: "Tests/Support/LifecycleVictim"),
        .executableTarget(
            name: "MigrationVictim", dependencies: ["Tidelog"], path: "Tests/Support/MigrationVictim"),
        .testTarget(name: "FaultHarnessTests", dependencies: ["FaultHarness"]),
        .executableTarget(
            name: "StoreVictim", dependencies: ["TidelogSynchronization", "Tidelog", "TidelogCore", "TidelogLMDB"],
            path: "Tests/Support/StoreVictim"),
        .testTarget(name: "CrashTests", dependencies: ["FaultHarness", "SeededNumbers", "TestStores", "Tidelog"]),

        // Code that several test targets use.
        .target(name: "FleetingRows", dependencies: ["TidelogCore"], path: "Tests/Support/FleetingRows"),
        .target(name: "SeededNumbers", path: "Tests/Support/SeededNumbers"),
        .target(name: "TestCompiler", dependencies: ["FaultHarness"], path: "Tests/Support/TestCompiler"),
        .target(name: "TestWaiting", dependencies: ["TidelogSynchronization"], path: "Tests/Support/TestWaiting"),
        .target(
            name: "TestStores", dependencies: ["Tidelog", "FaultHarness"], path: "Tests/Support/TestStores"),

        .target(
            name: "ServerSupport",
            dependencies: [
                "FaultHarness", "PostgresSupport", "RawServer", "TestStores", "Tidelog", "TidelogPostgres",
                "TidelogSDL", "TidelogServer", "TidelogAgreement", "TidelogSynchronization",
            ],
            path: "Tests/Support/ServerSupport"),

        // A PostgreSQL cluster for tests.
        .target(
            name: "PostgresSupport", dependencies: ["FaultHarness", "TidelogSynchronization"],
            path: "Tests/Support/PostgresSupport"),

        // No target of this package uses its plugin: see `scripts/generate-models`.
        .target(name: "ClientModels", dependencies: ["Tidelog"], path: "Tests/Support/ClientModels"),

        .target(
            name: "RawServer", dependencies: ["TidelogSynchronization", "TidelogPlatform"],
            path: "Tests/Support/RawServer"),

        // Tests mirror Sources.
        .testTarget(
            name: "LMDBTests",
            dependencies: [
                "TidelogLMDB", "TidelogLogSalvage", "TidelogPlatform", "CSystem", "FaultHarness", "SeededNumbers",
            ]),
        .testTarget(name: "JSONTests", dependencies: ["TidelogJSON", "SeededNumbers"]),
        .testTarget(
            name: "GraphQLTests",
            dependencies: [
                "TidelogSynchronization", "FaultHarness", "TidelogGraphQL", "TidelogGraphQLExecution", "SeededNumbers",
            ]),
        .testTarget(
            name: "CoreTests",
            dependencies: ["TidelogPlatform", "Tidelog", "TidelogSchema", "CChecksum", "SeededNumbers"]),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Tidelog", "CAllocationCounter", "CChecksum", "TestStores"]),
        .testTarget(
            name: "RelationTests",
            dependencies: [
                "TidelogSynchronization",
                "FaultHarness", "FleetingRows", "TestWaiting", "Tidelog", "TidelogCore", "TidelogMemoryAdapter",
            ]),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "TidelogSynchronization",
                "TidelogPlatform",
                "TidelogConformance", "TidelogMemoryAdapter", "TidelogLMDBAdapter", "TidelogSQLiteAdapter",
                "FleetingRows",
            ]),
        .executableTarget(
            name: "QueryFuzzer",
            dependencies: [
                "TidelogPlatform",
                "TidelogConformance", "TidelogMemoryAdapter", "TidelogLMDBAdapter", "TidelogSQLiteAdapter",
                "FleetingRows",
            ], path: "Tests/Support/QueryFuzzer"),
        .testTarget(
            name: "LifecycleTests",
            dependencies: [
                "TidelogSynchronization", "TidelogPlatform",
                "Tidelog", "TidelogLMDB", "FaultHarness", "SeededNumbers", "TestStores", "TestWaiting",
                "LifecycleVictim",
            ]),
        .testTarget(
            name: "SuspensionTests",
            dependencies: ["Tidelog", "FaultHarness", "StoreWriter", "TestStores", "TestWaiting"]),
        .testTarget(
            name: "SchemaChangeTests",
            dependencies: [
                "Tidelog", "TidelogRecordJSON", "FaultHarness", "SeededNumbers", "TestStores", "MigrationVictim",
            ]),
        .testTarget(
            name: "FacadeTests",
            dependencies: [
                "TidelogSynchronization", "FaultHarness", "ServerSupport", "TestWaiting", "TidelogAmplify",
                "TidelogServer",
            ],
            exclude: ["schema.graphql", "schema.modelgen"]),
        .testTarget(
            name: "SQLiteAdapterTests",
            dependencies: ["TidelogPlatform", "TidelogSQLiteAdapter", "CSQLite", "SeededNumbers"]),
        .testTarget(
            name: "LMDBAdapterTests",
            dependencies: [
                "TidelogSynchronization", "TidelogLMDBAdapter", "TidelogCore", "TidelogLMDB", "FaultHarness",
                "SeededNumbers",
            ]),
        .testTarget(name: "RecordJSONTests", dependencies: ["TidelogRecordJSON", "SeededNumbers"]),
        .testTarget(name: "AgreementTests", dependencies: ["TidelogAgreement", "SeededNumbers"]),
        .testTarget(name: "WebSocketTests", dependencies: ["TidelogWebSocket", "SeededNumbers"]),
        .target(
            name: "SyncSimulator",
            dependencies: [
                "TidelogSynchronization",
                "FaultHarness", "SeededNumbers", "Tidelog", "TidelogCore", "TidelogGraphQLExecution", "TidelogSDL",
                "TidelogServer", "TidelogSync", "TidelogAgreement",
            ], path: "Tests/Support/SyncSimulator"),
        .executableTarget(
            name: "SyncSimulation", dependencies: ["TidelogPlatform", "SyncSimulator", "TidelogJSON", "TidelogSync"],
            path: "Tests/Support/SyncSimulation"),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "TidelogSynchronization",
                "ClientModels", "FaultHarness", "RawServer", "SeededNumbers", "ServerSupport", "SyncSimulator",
                "TestStores", "TestWaiting", "Tidelog", "TidelogCore", "TidelogJSON", "TidelogRecordJSON", "TidelogSDL",
                "TidelogServer", "TidelogCurlTransport", "TidelogTransport", "TidelogURLSessionTransport",
                "TidelogSync", "TidelogClientMachines", "TidelogWebSocket", "TidelogAgreement",
            ]),
        .testTarget(
            name: "SDLTests",
            dependencies: ["TidelogCore", "TidelogJSON", "TidelogSchema", "TidelogSDL", "SeededNumbers"]),
        .executableTarget(
            name: "ServerFuzzer",
            dependencies: [
                "TidelogSynchronization",
                "FaultHarness", "SeededNumbers", "Tidelog", "TidelogJSON", "TidelogSDL", "TidelogServer",
                "TidelogAgreement",
            ], path: "Tests/Support/ServerFuzzer"),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "TidelogSynchronization",
                "TidelogPlatform",
                "FaultHarness", "PostgresSupport", "SeededNumbers", "ServerSupport", "TestStores", "TestWaiting",
                "Tidelog",
                "TidelogGraphQLExecution",
                "TidelogJSON", "TidelogPostgres", "TidelogSDL", "TidelogServer", "TidelogWebSocket", "TidelogAgreement",
            ]),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "TidelogSynchronization", "PostgresSupport", "SeededNumbers", "TestWaiting", "TidelogConformance",
                "TidelogCore", "TidelogMemoryAdapter", "TidelogPostgres", "TidelogServer",
            ]),
        .testTarget(
            name: "ModelgenTests",
            dependencies: ["FaultHarness", "TestCompiler", "Tidelog", "TidelogCore", "TidelogModelgen", "TidelogSDL"]),
        .executableTarget(name: "StoreWriter", dependencies: ["Tidelog"], path: "Tests/Support/StoreWriter"),
        .testTarget(
            name: "ObservationTests",
            dependencies: [
                "TidelogSynchronization",
                "Tidelog", "TidelogCore", "TidelogLMDB", "FaultHarness", "SeededNumbers", "StoreWriter", "TestStores",
                "TestWaiting",
            ]),
        .testTarget(
            name: "ViewTests",
            dependencies: [
                "TidelogSynchronization", "ClientModels", "TestCompiler", "TestStores", "TestWaiting", "Tidelog",
                "TidelogCore", "TidelogObservation", "TidelogPublishers", "TidelogSwiftUI",
            ]),
        .testTarget(
            name: "InspectorTests",
            dependencies: [
                "FaultHarness", "StoreWriter", "TestStores", "TestWaiting", "Tidelog", "TidelogInspector",
                "TidelogJSON", "TidelogSync",
            ]),
        .testTarget(
            name: "CLITests",
            dependencies: [
                "TidelogSynchronization",
                "TidelogPlatform", "FaultHarness", "PostgresSupport", "RawServer", "SeededNumbers", "TestWaiting",
                "TidelogJSON", "TidelogSync",
            ]),

        // Tests of the repository itself.
        .testTarget(name: "TidyTests"),
        .testTarget(name: "DocumentationTests"),
    ],
    swiftLanguageModes: [.v6]
)

if lmdbFolder == nil {
    package.targets.append(
        .systemLibrary(
            name: "CLMDB", path: "Sources/System/CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]))
}

for target in package.targets where ![.system, .plugin].contains(target.type) {
    if target.name == "FacadeTests" {
        // Code that was written for Amplify is in this mode.
        target.swiftSettings = [.swiftLanguageMode(.v5)]
        continue
    }
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.name == "TidelogSynchronization", Context.environment["TIDELOG_THREAD_SANITIZER"] != nil {
        target.swiftSettings?.append(.define("TIDELOG_THREAD_SANITIZER"))
    }
}
