#if !canImport(Darwin)
    import Foundation
    import TestCompiler
    import Testing

    /// Type-checks the code below the views for Apple's systems: files, threads, data protection, the network. This code does
    /// not run here.
    @Suite("Code for Apple's C library, Foundation and Network", .timeLimit(.minutes(10)))
    struct AppleSystemTests {
        /// A file with code for Apple's systems alone, and an error in it.
        struct Branch: Sendable {
            let file: String
            let call: String
            let mistake: String
            /// Code that the file needs of its module.
            var context = ""
        }

        static let branches = [
            Branch(
                file: "Sources/System/Platform/Platform+Darwin.swift", call: "f_flags", mistake: "f_flag"),
            Branch(
                file: "Sources/Core/Base/Files/FileSystem+Devices.swift", call: "isExcludedFromBackup = true",
                mistake: "isExcludedFromBackup = 1", context: "enum FileSystem {}"),
            Branch(
                file: "Sources/Sync/Network/NetworkMonitor.swift", call: "$0.status", mistake: "$0.state"),
        ]

        @Test("code for Apple's systems type-checks against stubs, and a planted error is found", arguments: branches)
        func typeChecks(branch: Branch) throws {
            try Compiler.withFolder { folder in
                try Self.makeStubs(in: folder)
                let text = try String(
                    contentsOf: Compiler.repository.appending(path: branch.file), encoding: .utf8)
                let mistaken = text.replacing(branch.call, with: branch.mistake)
                #expect(mistaken != text)
                let others = branch.file.contains("/Platform/") ? try AppleStubs.files("Sources/System/Platform") : []
                for (code, isRight) in [(text, true), (mistaken, false)] {
                    let (file, context) = (
                        folder.appending(path: "Branch.swift"), folder.appending(path: "Context.swift")
                    )
                    try Data(code.utf8).write(to: file)
                    try Data("\(branch.context)\n".utf8).write(to: context)
                    let rest = others.filter { !$0.hasSuffix("/Platform+Darwin.swift") }
                    let findings = try Compiler.run(
                        [
                            "-typecheck", "-parse-as-library", "-package-name", "tidelog", "-I", folder.path, file.path,
                            context.path,
                        ] + rest)
                    #expect(findings.isEmpty == isRight, "\(findings)")
                }
            }
        }

        @Test(
            "the storage and the transport for Apple's systems type-check against stubs, and a planted error is found")
        func modules() throws {
            try Compiler.withFolder { folder in
                try Self.makeStubs(in: folder)
                let name = ["-package-name", "tidelog"]
                try AppleStubs.makeModule(
                    "TidelogPlatform", of: AppleStubs.files("Sources/System/Platform"), in: folder, name)
                try AppleStubs.makeModule(
                    "TidelogSynchronization", of: AppleStubs.files("Sources/System/Synchronization"), in: folder, name)
                try AppleStubs.makeModule("TidelogLMDB", of: AppleStubs.files("Sources/LMDB"), in: folder, name)
                try AppleStubs.makeModule(
                    "TidelogTransport", of: AppleStubs.files("Sources/Transport"), in: folder, name)
                let transport = try AppleStubs.files("Sources/URLSessionTransport")
                try AppleStubs.makeModule("TidelogURLSessionTransport", of: transport, in: folder, name)
                let wrong = folder.appending(path: "Wrong.swift")
                let text = "import TidelogURLSessionTransport\nlet transport = URLSessionTransport(1)\n"
                try Data(text.utf8).write(to: wrong)
                #expect(try Compiler.run(["-typecheck", "-I", folder.path, wrong.path]).contains("error:"))
            }
        }

        private static func makeStubs(in folder: URL) throws {
            for name in ["DarwinTypes", "Darwin", "Network"] {
                try AppleStubs.makeModule(name, of: AppleStubs.files("Tests/Support/AppleStubs/\(name)"), in: folder)
            }
            try AppleStubs.makeModule(
                "TidelogFoundation", of: AppleStubs.files("Tests/Support/AppleStubs/Foundation"), in: folder)
        }
    }

    /// Modules made of stubs, and of this package's files for Apple's systems.
    enum AppleStubs {
        /// Makes the module called `name` of `files`. The compiler prefers a module in `folder` to the build's module of that
        /// name.
        static func makeModule(
            _ name: String, of files: [String], in folder: URL, _ options: [String] = []
        ) throws {
            let module = folder.appending(path: "\(name).swiftmodule").path
            let findings = try Compiler.run(
                ["-I", folder.path, "-parse-as-library", "-emit-module", "-module-name", name, "-o", module] + options
                    + files)
            #expect(findings == "")
        }

        /// The paths of the Swift files below `path`.
        static func files(_ path: String) throws -> [String] {
            let folder = Compiler.repository.appending(path: path)
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0).path }
        }
    }
#endif
