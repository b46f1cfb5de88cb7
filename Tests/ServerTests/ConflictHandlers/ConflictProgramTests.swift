import FaultHarness
import Foundation
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Programs that decide conflicts")
struct ConflictProgramTests {
    /// A program in a temporary directory, which is removed after the test.
    private struct Script {
        let directory: TemporaryDirectory
        let strategy: ConflictStrategy

        /// Writes a script. `$DIR` in `text` stands for the temporary directory.
        init(_ text: String, interpreter: String = "/bin/sh") throws {
            directory = try TemporaryDirectory()
            let file = directory.file("program")
            let body = text.replacingOccurrences(of: "$DIR", with: directory.url.path)
            try Data("#!\(interpreter)\n\(body)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
            var options = ServiceOptions()
            try options.setConflict("custom:\(file.path)")
            strategy = options.strategy
        }

        /// The text that the program wrote to the file `name`; `nil` if it wrote nothing.
        func text(_ name: String) -> String? {
            // Tests that run at the same time can briefly use up the files that the process may open. A read that fails is
            // therefore repeated.
            for _ in 0..<100 {
                let text = try? String(contentsOf: directory.file(name), encoding: .utf8)
                if let text, !text.isEmpty { return text }
                usleep(10_000)
            }
            return nil
        }
    }

    @Test("a program gets the conflict as JSON, and its verdict is applied", arguments: Adapter.persistent)
    func verdicts(adapter: Adapter) async throws {
        let script = try Script(
            """
            cat > $DIR/case
            grep -q '"field":"deletePlayer"' $DIR/case && { echo '{"action":"REMOVE"}'; exit; }
            grep -q '"jersey":66' $DIR/case && { echo '{"action":"REJECT"}'; exit; }
            echo '{"action":"RESOLVE","item":{"name":"Both","jersey":7}}'
            """)
        let scene = try await ConflictScene(script.strategy, on: adapter)
        #expect(
            try await scene.update() == #"{"data":{"updatePlayer":{"name":"Both","jersey":7,"_version":3}}}"#)
        #expect(script.text("case")?.hasPrefix(#"{"newItem":{"__typename":"Player","id":"1","#) == true)
        #expect(try await scene.update("jersey: 66").isRefused("ConflictUnhandled", version: 3))
        #expect(
            try await scene.delete() == #"{"data":{"deletePlayer":{"name":"Both","_version":4,"_deleted":true}}}"#)
    }

    @Test(
        "a change is refused if the program fails or prints an invalid verdict",
        arguments: [
            "exit 3", "kill -9 $$", "true", "echo nonsense", "echo '[]'", "echo '{}'",
            "echo '{\"action\":\"resolve\"}'",
            "echo '{\"action\":\"RESOLVE\"}'", "echo '{\"action\":\"RESOLVE\",\"item\":[]}'",
            "echo '{\"action\":\"REJECT\"} {}'", "echo '{\"action\":\"REJECT\"}'; exit 1",
            "echo '{\"action\":\"RESOLVE\",\"item\":{\"name\":1}}'", "printf '\\377'",
        ])
    func failures(text: String) async throws {
        let scene = try await ConflictScene(try Script(text).strategy)
        let response = try await scene.update()
        #expect(response.isRefused("ConflictError", version: 2), "\(response)")
    }

    @Test("a program need not read its input")
    func earlyEnd() async throws {
        // The name is longer than a pipe's buffer, so the server is still writing when the program closes its input.
        let script = try Script("exec 0<&-; echo '{\"action\":\"REJECT\"}'")
        let scene = try await ConflictScene(script.strategy)
        let name = String(repeating: "n", count: 300_000)
        for _ in 0..<3 {
            let response = try await scene.served.ask(
                "mutation ($n: String) { updatePlayer(input: {id: \"1\", name: $n, _version: 1}) { name _version } }",
                ["n": .string(name)])
            #expect(response.isRefused("ConflictUnhandled", version: 2), "\(response.prefix(500))")
        }
    }

    @Test("a program that reads slowly gets all of a large conflict")
    func slowReader() async throws {
        let script = try Script("sleep 0.2; wc -c > $DIR/count; echo '{\"action\":\"REJECT\"}'")
        let scene = try await ConflictScene(script.strategy)
        _ = try await scene.served.ask(
            "mutation ($n: String) { updatePlayer(input: {id: \"1\", name: $n, _version: 1}) { jersey } }",
            ["n": .string(String(repeating: "n", count: 300_000))])
        let text = try #require(script.text("count"))
        let count = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(count > 600_000)
    }

    @Test("a change is refused if the program's output never ends")
    func hugeOutput() async throws {
        let scene = try await ConflictScene(try Script("yes '{\"action\":\"REJECT\"}'").strategy)
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
    }

    @Test("a child process that keeps the pipe open does not delay the verdict, and is killed after it")
    func leftChild() async throws {
        let script = try Script("sleep 600 & echo $! > $DIR/child; echo '{\"action\":\"REJECT\"}'")
        let scene = try await ConflictScene(script.strategy)
        #expect(try await scene.update().isRefused("ConflictUnhandled", version: 2))
        #expect(try await Self.isGone(script.text("child")))
    }

    private static let sleeper = "sleep 600 & echo $! > $DIR/child; echo $$ > $DIR/program; wait"

    @Test("a program that takes too long is killed with its children")
    func tooLong() async throws {
        let script = try Script(Self.sleeper)
        let scene = try await ConflictScene(script.strategy, timeLimit: .seconds(2))
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
        // On a very busy computer, the program may be killed before it has written these files.
        for name in ["program", "child"] {
            guard let text = script.text(name) else { continue }
            #expect(try await Self.isGone(text))
        }
    }

    @Test("a program whose client goes away is killed with its children")
    func cancelled() async throws {
        let script = try Script(Self.sleeper)
        let scene = try await ConflictScene(script.strategy, timeLimit: .seconds(600))
        let request = Task { _ = try? await scene.update() }
        try await eventually { ["child", "program"].allSatisfy { script.text($0)?.isEmpty == false } }
        let (program, child) = (script.text("program"), script.text("child"))
        request.cancel()
        await request.value
        #expect(try await Self.isGone(program))
        #expect(try await Self.isGone(child))
    }

    /// Whether the process ends. `text` contains its process id, as the program wrote it.
    private static func isGone(_ text: String?) async throws -> Bool {
        let number = try #require(
            text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }, "\(text ?? "no text")")
        for _ in 0..<1_000 {
            // A killed process can stay in the process table as a zombie for a while.
            let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            if kill(number, 0) != 0 || status?.contains(") Z ") == true { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("a change is refused if the program was removed after the start")
    func gone() async throws {
        let script = try Script("echo '{\"action\":\"REJECT\"}'")
        let scene = try await ConflictScene(script.strategy)
        try FileManager.default.removeItem(at: script.directory.file("program"))
        #expect(try await scene.update().isRefused("ConflictError", version: 2))
    }

    @Test("a program inherits neither the server's open files nor its environment variables")
    func inheritance() async throws {
        setenv("TIDELOG_TEST_SECRET", "canary", 1)
        let script = try Script(
            "ls /proc/self/fd > $DIR/files; env > $DIR/variables; echo '{\"action\":\"REJECT\"}'")
        let scene = try await ConflictScene(script.strategy)
        #expect(try await scene.update().isRefused("ConflictUnhandled", version: 2))
        // Descriptor 3 belongs to `ls`, which reads the folder.
        #expect(script.text("files")?.split(separator: "\n") == ["0", "1", "2", "3"])
        let variables = try #require(script.text("variables"))
        #expect(!variables.contains("canary"))
        #expect(variables.contains("PATH="))
    }

    @Test("many conflicts at a time are all decided, and at most eight programs run at once")
    func many() async throws {
        let script = try Script(
            """
            mkdir -p $DIR/running; touch $DIR/running/$$; ls $DIR/running | wc -l >> $DIR/counts; sleep 0.05
            rm $DIR/running/$$; echo '{"action":"REJECT"}'
            """)
        let scene = try await ConflictScene(script.strategy)
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask { try await scene.update().isRefused("ConflictUnhandled", version: 2) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 40)
        let counts = try #require(script.text("counts")).split(separator: "\n").compactMap { Int($0) }
        #expect(counts.count == 40 && counts.allSatisfy { (1...8).contains($0) }, "\(counts)")
    }

    // MARK: Strategies as text

    @Test("strategies are read from text")
    func settings() throws {
        var options = ServiceOptions()
        try options.setConflict("optimistic")
        try options.setConflict("Player=automerge")
        try options.setConflict("Team=custom:http://127.0.0.1:1/?a=b")
        try options.setConflict("Coach=none")
        guard case .optimistic = options.strategy, case .autoMerge = options.strategy(of: "Player"),
            case .custom = options.strategy(of: "Team"), case .unconditional = options.strategy(of: "Coach")
        else { return #expect(Bool(false), "\(options.strategies)") }
        let api = try API(SchemaDocument(sdl: Array(ConflictScene.sdl.utf8)))
        #expect(options.modelsWithConflicts(notIn: api) == ["Coach", "Team"])
    }

    @Test(
        "a text that is not a conflict strategy is refused with a sentence that says why",
        arguments: [
            ("merge", "merge is no strategy"), ("", " is no strategy"), ("Player=", " is no strategy"),
            ("Player=custom:", "neither a URL nor the path"), ("custom:program", "neither a URL nor the path"),
            ("custom:./not-there", "There is no program ./not-there."), ("custom:/tmp/", "no program that can be run"),
            ("custom:/etc/passwd", "no program that can be run"), ("custom:ftp://host/", "no URL with http or https"),
            ("custom:http://", "no URL with http or https"), ("custom:http://a b/", "no URL with http or https"),
        ])
    func badSettings(text: String, message: String) {
        var options = ServiceOptions()
        do throws(ServiceOptions.ConflictSettingError) {
            try options.setConflict(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.message.contains(message), "\(error)")
        }
    }

    @Test("a second strategy for the same model is refused")
    func twice() throws {
        var options = ServiceOptions()
        try options.setConflict("Player=automerge")
        #expect(throws: ServiceOptions.ConflictSettingError.self) { try options.setConflict("Player=optimistic") }
    }
}
