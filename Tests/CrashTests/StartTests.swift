#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    // A mark in memory stands for the identifier of the system's start where the system does not show it. The commands of these
    // tests have mount namespaces, which keep the volumes of the other tests mounted. So these tests run by turns with them.
    extension MountTests {
        @Suite("A system that shows no identifier of its start")
        struct StartTests {
            private static let unavailability = TemporaryFilesystem.unavailability()

            /// The memory at the next opening, and the rows that this opening uses.
            enum Memory: String, CaseIterable {
                case kept, lost, onDisk

                var rows: [String] { self == .kept ? ["rows-1"] : ["rows-2"] }
            }

            @Test(
                "the rows of a killed writer are trusted while the memory exists, and recreated after that",
                .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: Memory.allCases,
                ["lmdb", "sqlite"])
            func killed(memory: Memory, adapter: String) throws {
                let scene = try StoreScene("insert", adapter, "full")
                let disk = try TemporaryDirectory("tidelog-marks")
                let (victim, lines) = (try StoreScene.victim.path, disk.file("lines").path)
                let mount =
                    memory == .onDisk ? "mount --bind \(disk.url.path) /dev/shm" : "mount -t tmpfs none /dev/shm"
                // The commands have a mount namespace of their own. The writer is killed after its first acknowledged commits.
                let commands = """
                    set -e
                    mount -t tmpfs none /proc/sys/kernel/random
                    \(mount)
                    : >\(lines)
                    \(victim) \(scene.arguments("1000000").joined(separator: " ")) >>\(lines) &
                    while [ "$(wc -l <\(lines))" -lt 20 ]; do sleep 0.02; done
                    kill -9 $!
                    wait $! || true
                    \(memory == .lost ? "mount -t tmpfs none /dev/shm" : "")
                    exec \(victim) check \(scene.directory.path) \(adapter) insert
                    """
                let shell = try ChildProcess(
                    URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "/bin/sh", "-c", commands])
                let verdict = Verdict(try shell.wait(), shell.lines, shell.errorText)
                let output = try String(contentsOfFile: lines, encoding: .utf8)
                // The line that the kill has cut off is no acknowledgement.
                let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
                    String($0)
                }
                let fault = verdict.fault(after: VictimRun(.exited(0), whole).acknowledged)
                #expect(fault == nil, "\(fault ?? "") \(shell.errorText)")
                let generation = scene.directory.appendingPathComponent("generation-1")
                let names = try FileManager.default.contentsOfDirectory(atPath: generation.path)
                #expect(names.filter { $0.hasPrefix("rows-") } == memory.rows)
            }
        }
    }
#endif
