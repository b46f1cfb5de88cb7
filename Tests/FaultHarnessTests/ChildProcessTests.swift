#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("Child processes")
    struct ChildProcessTests {
        private let shell = URL(fileURLWithPath: "/bin/sh")

        @Test("a child process gives its lines as they come, its errors and its exit status")
        func output() throws {
            let script = "echo one; echo bad >&2; read line < /dev/null; echo $GREETING; printf rest; exit 7"
            let child = try ChildProcess(shell, ["-c", script], environment: ["GREETING": "hello"])
            #expect(try child.readLine() == "one")
            #expect(try child.readLine() == "hello")
            #expect(try child.readLine() == nil)
            #expect(try child.wait() == .exited(7))
            #expect(child.errorText == "bad\n")
            #expect(child.lines == ["one", "hello"])
        }

        @Test("a child process can print more than a pipe holds")
        func muchOutput() throws {
            let child = try ChildProcess(
                shell, ["-c", "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"])
            #expect(try child.wait() == .exited(0))
            #expect(child.lines.count == 20000 && child.lines.last == "line 19999")
        }

        @Test("a child process can be killed while it runs")
        func kill() throws {
            let child = try ChildProcess(shell, ["-c", "echo ready; exec sleep 100"])
            #expect(try child.readLine() == "ready")
            child.signal(SIGKILL)
            #expect(try child.wait() == .signalled(SIGKILL))
        }

        @Test("a child process can stop and continue")
        func stop() throws {
            let child = try ChildProcess(shell, ["-c", "echo ready; kill -STOP $$; echo again"])
            #expect(try child.readLine() == "ready")
            try child.waitUntilStopped()
            child.signal(SIGCONT)
            #expect(try child.readLine() == "again")
            #expect(try child.wait() == .exited(0))
        }

        @Test("a child process that takes too long is killed, and the wait throws an error with its output")
        func timeout() throws {
            let child = try ChildProcess(shell, ["-c", "echo bad >&2; echo ready; exec sleep 100"])
            #expect(try child.readLine() == "ready")
            let failure = #expect(throws: ChildProcess.Failure.self) { try child.wait(within: .milliseconds(50)) }
            if case .timedOut(let output, let errors)? = failure {
                #expect(output == ["ready"])
                #expect(errors == "bad\n")
            } else {
                Issue.record("The wait did not end because of its limit.")
            }
            #expect(try child.wait() == .signalled(SIGKILL))
        }

        @Test("a child process whose executable is missing is not started")
        func missing() {
            #expect(throws: ChildProcess.Failure.self) { try ChildProcess(URL(fileURLWithPath: "/no/such/program")) }
        }

        @Test("a wait for a child process ends even if a background process keeps its pipes open")
        func leftBehind() throws {
            let child = try ChildProcess(shell, ["-c", "sleep 5 & echo done; exit 3"])
            #expect(try child.wait(within: .seconds(4)) == .exited(3))
            #expect(child.lines == ["done"])
        }
    }

    @Suite("A small file system", .enabled(if: TemporaryFilesystem.unavailability() == nil, "mounting needs root"))
    struct TemporaryFilesystemTests {
        @Test("a victim on a full file system keeps every acknowledged record")
        func full() throws {
            let disk = try TemporaryFilesystem(size: 64 << 10)
            #expect(disk.freeBytes() <= 64 << 10)
            let executable = try BuildProducts.url(of: "FaultVictim")
            let child = try ChildProcess(executable, ["append", disk.url.path, "1000"])
            #expect(try child.wait() == .exited(1))
            #expect(child.lines.last == "error \(ENOSPC)")
            let records = Records.count(in: disk.url.appendingPathComponent("log/records"))
            #expect(records == child.lines.count - 1 && records > 50)
        }

        @Test("a file system is unmounted when its value is released")
        func unmounted() throws {
            var disk: TemporaryFilesystem? = try TemporaryFilesystem(size: 64 << 10)
            let path = try #require(disk?.url.path)
            disk = nil
            let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
            #expect(!mounts.contains(path))
        }
    }
#endif
