import Foundation
import TestCompiler
import Testing

/// Type-checks the code for Apple's systems against declarations of the parts of SwiftUI and Combine that it uses. This code
/// does not run here.
@Suite("Code for Apple's systems", .timeLimit(.minutes(10)))
struct AppleStubTests {
    /// In some versions of the SDK, SwiftUI's protocol of dynamic properties is isolated to the main actor.
    @Test(
        "the property wrapper for views and the views of the example type-check against stubs of SwiftUI",
        arguments: [[], ["-D", "UPDATES_ON_MAIN_ACTOR"]])
    func views(options: [String]) throws {
        try Compiler.withFolder { folder in
            try Self.makeModule("SwiftUI", of: "Tests/Support/AppleStubs/SwiftUI", in: folder, options)
            try Self.makeModule("TidelogSwiftUI", of: "Sources/SwiftUI", in: folder)
            let views = ["Note", "SampleNotes", "NoteViews"].map { name in
                Compiler.repository.appending(path: "Examples/NotesApp/Sources/Notes/\(name).swift").path
            }
            let findings = try Compiler.run(["-typecheck", "-module-name", "Notes", "-I", folder.path] + views)
            #expect(findings == "")
            let wrong = folder.appending(path: "Wrong.swift")
            try Data("import TidelogSwiftUI\nlet records = Records(1)\n".utf8).write(to: wrong)
            #expect(try Compiler.run(["-typecheck", "-I", folder.path, wrong.path]).contains("error:"))
        }
    }

    @Test("the publishers of sequences type-check against stubs of Combine")
    func publishers() throws {
        try Compiler.withFolder { folder in
            try Self.makeModule("Combine", of: "Tests/Support/AppleStubs/Combine", in: folder)
            try Self.makeModule("TidelogPublishers", of: "Sources/Publishers", in: folder)
            let use = folder.appending(path: "Use.swift")
            let text = """
                import Combine
                import Tidelog
                import TidelogPublishers

                func results(in store: DataStore) -> AnyPublisher<LiveResult<Record>, any Error> {
                    store.observe(Record.all(of: "Note")).publisher
                }

                """
            try Data(text.utf8).write(to: use)
            let findings = try Compiler.run(["-typecheck", "-I", folder.path, use.path])
            #expect(findings == "")
        }
    }

    @Test("the code for SwiftUI has at most 200 lines")
    func lines() throws {
        let lineCount = try Self.files("Sources/SwiftUI").reduce(0) { count, file in
            try count + String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
        }
        #expect((1...200).contains(lineCount))
    }

    /// Makes the module called `name` of the files in `path`. The compiler prefers a module in `folder` to the build's module
    /// of that name.
    private static func makeModule(_ name: String, of path: String, in folder: URL, _ options: [String] = []) throws {
        let module = folder.appending(path: "\(name).swiftmodule").path
        let findings = try Compiler.run(
            ["-I", folder.path, "-parse-as-library", "-emit-module", "-module-name", name, "-o", module] + options
                + files(path))
        #expect(findings == "")
    }

    /// The paths of the Swift files below `path`.
    private static func files(_ path: String) throws -> [String] {
        let folder = Compiler.repository.appending(path: path)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return names.filter { $0.hasSuffix(".swift") }.sorted().map { folder.appending(path: $0).path }
    }
}
