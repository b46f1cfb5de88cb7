import FaultHarness
import Foundation
import PostgresSupport
import Testing

@Suite("Examples in the documentation")
struct DocumentationTests {
    /// One command of a page, and the exit status and output that the page shows for it.
    struct Step {
        var command: String
        var status: Int32 = 0
        /// The output that the page shows. If the page shows none, this is empty and the test does not compare the output.
        var output: [String] = []
    }

    private func world() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory("world")
        for name in ["schema.graphql", "countries.ndjson", "cities.ndjson"] {
            try FileManager.default.createSymbolicLink(
                at: directory.file(name),
                withDestinationURL: repository.appendingPathComponent("Examples/World/\(name)"))
        }
        return directory
    }

    static func steps(of text: String) -> [Step] {
        var steps: [Step] = []
        var isInBlock = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isInBlock = line == "```console"
            } else if isInBlock, line.hasPrefix("$ ") {
                let parts = line.dropFirst(2).components(separatedBy: "   # exit ")
                steps.append(Step(command: parts[0], status: parts.count > 1 ? Int32(parts[1]) ?? -1 : 0))
            } else if isInBlock, let command = steps.last?.command, command.hasSuffix("\\") {
                steps[steps.count - 1].command = command.dropLast() + line
            } else if isInBlock, !steps.isEmpty {
                steps[steps.count - 1].output.append(line)
            }
        }
        return steps
    }

    @Test("every example of docs/CLI.md does what the page says")
    func commandLinePage() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/CLI.md"), encoding: .utf8)
        let steps = Self.steps(of: page)
        #expect(steps.count > 30)
        let directory = try world()
        for step in steps {
            let outcome = try Tool.shell(step.command, in: directory.url)
            #expect(outcome.status == step.status, "\(step.command)\n\(outcome.errors)")
            if !step.output.isEmpty { #expect(outcome.lines == step.output, "\(step.command)") }
        }
    }

    @Test("the guide for beginners shows query --where, and its commands do what it says")
    func gettingStarted() throws {
        let page = try String(
            contentsOf: repository.appendingPathComponent("docs/GETTING-STARTED.md"), encoding: .utf8)
        let steps = Self.steps(of: page)
        #expect(steps.contains { $0.command.contains("tidelog query ") && $0.command.contains("--where ") })
        let directory = try TemporaryDirectory("guide")
        try FileManager.default.copyItem(
            at: repository.appendingPathComponent("Examples/BlogApp/Sources/Blog/schema.graphql"),
            to: directory.file("schema.graphql"))
        for step in steps {
            let outcome = try Tool.shell(step.command, in: directory.url)
            #expect(outcome.status == step.status, "\(step.command)\n\(outcome.errors)")
            if !step.output.isEmpty { #expect(outcome.lines == step.output, "\(step.command)") }
        }
    }

    @Test("every command of the guide to the server does what the page says", .enabled(if: hasCurl, "curl is missing"))
    func server() throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/SERVER.md"), encoding: .utf8)
        let directory = try TemporaryDirectory("server")
        let steps = Self.steps(of: page)
        let schema = try #require(steps.first)
        #expect(schema.command == "cat schema.graphql")
        try Data((schema.output.joined(separator: "\n") + "\n").utf8).write(to: directory.file("schema.graphql"))
        defer { _ = try? Tool.shell("kill -9 $(cat serving.pid)", in: directory.url) }
        let port = try Self.freePort()
        let client = repository.appendingPathComponent(".build/websocket-second-opinion").path
        let hasClient = FileManager.default.isExecutableFile(atPath: client + "/bin/gql-cli")
        for step in steps {
            // Another process may have the port that the page uses, so the test replaces the port. The test does not
            // install the client: it links an installed one, or skips the steps that read the client's output.
            var command = step.command.replacing(":20002", with: ":\(port)")
                .replacing("tidelog serve ", with: "tidelog serve --port \(port) ")
            if command.hasPrefix("python3 -m venv ") { command = hasClient ? "ln -s \(client) client" : "true" }
            if command.contains("heard.txt"), !hasClient { continue }
            // On a busy machine, Python may need longer to start than the page allows.
            if command.hasSuffix("& sleep 3") { command = command.dropLast() + "10" }
            // A response ends without a line break.
            let ending = command.hasPrefix("curl") ? "\nstatus=$?; echo; exit $status" : ""
            let outcome = try Tool.shell(command + ending, in: directory.url)
            #expect(outcome.status == step.status, "\(step.command)\n\(outcome.errors)")
            let shown = outcome.lines.filter { !$0.isEmpty }
            let output = step.output.filter { !$0.isEmpty }.map { $0.replacing(":20002", with: ":\(port)") }
            if !output.isEmpty { #expect(shown == output, "\(step.command)") }
        }
    }

    @Test(
        "every command of a guide to syncing does what the page says",
        arguments: [("SYNC", "amplifyconfiguration.json", 25), ("AMPLIFY-GEN2", "amplify_outputs.json", 15)])
    func syncing(name: String, configuration: String, count: Int) throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
        let directory = try TemporaryDirectory("syncing")
        let steps = Self.steps(of: page)
        #expect(steps.count > count)
        defer { _ = try? Tool.shell("kill -9 $(cat serving.pid)", in: directory.url) }
        let port = try Self.freePort()
        for step in steps {
            if let name = step.command.wholeMatch(of: /cat ([a-z]+\.[a-z]+)/)?.1 {
                try Data((step.output.joined(separator: "\n") + "\n").utf8).write(to: directory.file(String(name)))
            }
            // Another process may have the port that the page uses, and a busy computer may need longer than the page says.
            let command = step.command.replacing("tidelog serve ", with: "tidelog serve --port \(port) ")
                .replacing("; sleep 2", with: "; until [ -s \(configuration) ]; do sleep 0.1; done")
                .replacing("; sleep 1", with: "; while kill -0 $(cat serving.pid) 2>&-; do sleep 0.1; done")
            let outcome = try Tool.shell(command, in: directory.url)
            #expect(outcome.status == step.status, "\(step.command)\n\(outcome.errors)")
            if !step.output.isEmpty { #expect(outcome.lines == step.output, "\(step.command)") }
        }
    }

    private static let hasCurl = ["/usr/bin/curl", "/bin/curl"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A port that no process uses now.
    private static func freePort() throws -> Int {
        let other = try Shop()
        try other.write("type A @model { id: ID! }", to: "a.graphql")
        let server = try ServerProcess(other.file("a.graphql"), store: other.store)
        defer { _ = try? server.stop() }
        return try #require(server.endpoint.port)
    }

    @Test(
        "each guide declares the variable `lines` before it appends to the variable",
        arguments: ["GETTING-STARTED", "MIGRATING-FROM-AMPLIFY"])
    func declaresLines(name: String) throws {
        let page = try String(contentsOf: repository.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
        let use = try #require(page.range(of: "lines.append("))
        let declaration = try #require(page.range(of: "var lines: [String] = []"))
        #expect(declaration.lowerBound < use.lowerBound)
    }

    @Test("every example of --help with a database works", .enabled(if: PostgresCluster.isInstalled))
    func helpWithDatabase() throws {
        let directory = try world()
        let database = "'\(try PostgresCluster.makeDatabase())'"
        let create = "tidelog import --database \(database) --schema schema.graphql Country countries.ndjson"
        #expect(try Tool.shell(create, in: directory.url).status == 0)
        for command in ["import", "migrate"] {
            // The first example of migrate finds that the store is equal to the database.
            if command == "migrate" {
                let copy = "tidelog migrate --from \(database) --to ./served"
                #expect(try Tool.shell(copy, in: directory.url).status == 0)
            }
            let lines = try examples(of: command).filter { $0.contains("postgres://") }
            #expect(!lines.isEmpty)
            for line in lines {
                let example = line.replacing("postgres://tidelog@db.example/app", with: database)
                let outcome = try Tool.shell(example, in: directory.url)
                #expect(outcome.status == 0, "\(example)\n\(outcome.errors)")
            }
        }
    }

    @Test("every example of --help works")
    func help() throws {
        let directory = try world()
        let outputs = repository.appendingPathComponent("Tests/GeneratedModels/Outputs/amplify_outputs.json")
        let prepare = """
            cp schema.graphql schema-new.graphql && cp '\(outputs.path)' . &&
            tidelog init --store copy --schema schema.graphql --durability relaxed &&
            tidelog import --store world --durability relaxed --schema schema.graphql Country countries.ndjson
            """
        #expect(try Tool.shell(prepare, in: directory.url).status == 0)
        let order = [
            "import", "save", "query", "get", "history", "export", "stats", "verify", "schema print", "schema diff",
            "backup", "compact", "delete", "rebuild", "init", "clear", "generate",
        ]
        for command in order {
            for line in try examples(of: command) where !line.contains("postgres://") {
                // At this point `import` has already created the store that the example of `init` names.
                let example = command == "init" ? line.replacingOccurrences(of: "./world", with: "./other") : line
                let outcome = try Tool.shell(example, in: directory.url)
                #expect(outcome.status == 0, "\(example)\n\(outcome.errors)")
            }
        }
        // A server runs until a signal stops it.
        let serve = try #require(try examples(of: "serve").first)
        let line = "\(serve) --port 0 > serving.txt 2>&1 & sleep 1; kill $!; wait $!"
        #expect(try Tool.shell(line, in: directory.url).status == 0, "\(serve)")
        for line in try examples(of: "log") where !line.contains("--follow") {
            #expect(try Tool.shell(line, in: directory.url).status == 0, "\(line)")
        }
    }

    /// The commands that the help of `command` shows as examples.
    private func examples(of command: String) throws -> [String] {
        let help = try Tool.run(command.split(separator: " ").map(String.init) + ["--help"]).lines
        let section = help.drop { $0 != "Examples" }.prefix { $0 != "Usage" }
        let examples = section.filter { $0.hasPrefix("  tidelog \(command)") }
        #expect(!examples.isEmpty)
        return examples
    }

    @Test("the demo succeeds with a part of the data")
    func demo() throws {
        let directory = try TemporaryDirectory("demo")
        let source = repository.appendingPathComponent("Examples/World")
        for (name, count) in [("schema.graphql", Int.max), ("countries.ndjson", Int.max), ("cities.ndjson", 3_000)] {
            let text = try String(contentsOf: source.appendingPathComponent(name), encoding: .utf8)
            let part = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(count).joined(
                separator: "\n")
            try Data((part + "\n").utf8).write(to: directory.file(name))
        }
        let outcome = try Tool.run(
            ["demo", "--data", directory.url.path, "--directory", directory.file("stores").path], within: .seconds(120))
        #expect(outcome.status == 0, "\(outcome.errors)")
        for part in [
            "Kill the writer", "0 missing", "state", "752 sent", "Town of device a and Town of device b",
            "three devices, equal", "In short", "Explore them",
        ] {
            #expect(outcome.output.contains(part), "the demo does not say \(part)")
        }
        #expect(!outcome.output.contains("\u{1B}"))
    }
}
