#if !canImport(SwiftUI)
    import Foundation
    import TestCompiler
    import Testing

    /// Type-checks the code for Apple's systems against declarations of the parts of SwiftUI and Combine that it uses. This
    /// code does not run here.
    @Suite("Code for Apple's systems", .timeLimit(.minutes(10)))
    struct AppleStubTests {
        /// In some versions of the SDK, SwiftUI's protocol of dynamic properties is isolated to the main actor.
        @Test(
            "the property wrapper for views, and the example's views and background tasks, type-check against stubs",
            arguments: [[], ["-D", "UPDATES_ON_MAIN_ACTOR"]])
        func views(options: [String]) throws {
            try Compiler.withFolder { folder in
                let stubs = try AppleStubs.files("Tests/Support/AppleStubs/SwiftUI")
                try AppleStubs.makeModule("SwiftUI", of: stubs, in: folder, options)
                try AppleStubs.makeModule(
                    "BackgroundTasks", of: AppleStubs.files("Tests/Support/AppleStubs/BackgroundTasks"), in: folder)
                try AppleStubs.makeModule("TidelogSwiftUI", of: AppleStubs.files("Sources/SwiftUI"), in: folder)
                let example = try AppleStubs.files("Examples/NotesApp")
                let names = [
                    "Note.swift", "NoteViews.swift", "SampleNotes.swift", "BackgroundSync.swift",
                    "SyncedNotesScene.swift",
                ]
                let views = example.filter { path in names.contains { path.hasSuffix("/\($0)") } }
                try AppleStubs.makeModule("Notes", of: views, in: folder, ["-enable-testing"])
                #expect(views.count == names.count)
                let scene = try #require(views.first { $0.hasSuffix("/SyncedNotesScene.swift") })
                let mistaken = folder.appending(path: "SyncedNotesScene.swift")
                let text = try String(contentsOfFile: scene, encoding: .utf8).replacing("appRefresh", with: "refresh")
                try Data(text.utf8).write(to: mistaken)
                let rest = views.filter { $0 != scene } + [mistaken.path]
                #expect(
                    try Compiler.run(["-typecheck", "-parse-as-library", "-I", folder.path] + rest).contains("refresh"))
                let tests = example.filter { $0.hasSuffix("/NoteListTests.swift") }
                let findings = try Compiler.run(["-typecheck", "-parse-as-library", "-I", folder.path] + tests)
                #expect(tests.count == 1 && findings == "")
                let wrong = folder.appending(path: "Wrong.swift")
                try Data("import TidelogSwiftUI\nlet records = Records(1)\n".utf8).write(to: wrong)
                #expect(try Compiler.run(["-typecheck", "-I", folder.path, wrong.path]).contains("error:"))
            }
        }

        @Test("the publishers of sequences, and the facade with its publishers, type-check against stubs of Combine")
        func publishers() throws {
            try Compiler.withFolder { folder in
                let stubs = try AppleStubs.files("Tests/Support/AppleStubs/Combine")
                try AppleStubs.makeModule("Combine", of: stubs, in: folder)
                try AppleStubs.makeModule("TidelogPublishers", of: AppleStubs.files("Sources/Publishers"), in: folder)
                try AppleStubs.makeModule(
                    "TidelogAmplify", of: AppleStubs.files("Sources/Facade"), in: folder, Self.packageName)
                let use = folder.appending(path: "Use.swift")
                let text = """
                    import Combine
                    import Tidelog
                    import TidelogPublishers

                    func results(in store: DataStore) -> AnyPublisher<LiveResult<Record>, any Error> {
                        store.observe(Record.all(of: "Note")).publisher
                    }

                    func statuses(of engine: SyncEngine) -> AnyPublisher<SyncStatus, any Error> {
                        engine.statuses.publisher
                    }

                    """
                try Data(text.utf8).write(to: use)
                let findings = try Compiler.run(["-typecheck", "-I", folder.path, use.path])
                #expect(findings == "")
            }
        }

        @Test("the code for SwiftUI has at most 200 lines")
        func lines() throws {
            let lineCount = try AppleStubs.files("Sources/SwiftUI").reduce(0) { count, file in
                try count + String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
            }
            #expect((1...200).contains(lineCount))
        }

        /// The option with which the compiler shows the declarations of this package. SwiftPM names a package after its
        /// folder.
        private static var packageName: [String] {
            let name = Compiler.repository.lastPathComponent.lowercased()
            return ["-package-name", String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })]
        }
    }
#endif
