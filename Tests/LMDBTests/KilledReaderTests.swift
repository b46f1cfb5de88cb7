#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing
    import TidelogLMDB

    @Suite("Processes that were killed while they registered a reader")
    struct KilledReaderTests {
        @Test("a process that dies with the lock of the table of readers does not block the next process")
        func killed() throws {
            let scale = Int(ProcessInfo.processInfo.environment["TIDELOG_CRASH_SCALE"] ?? "") ?? 1
            let victim = try BuildProducts.url(of: "FaultVictim")
            let scratch = try Scratch()
            var (holders, attempts) = (0, 0)
            // A process may be stopped between two registrations. Those processes do not count.
            while holders < 20 * scale, attempts < 100 * scale {
                attempts += 1
                let process = try ChildProcess(victim, ["lmdb-readers", scratch.path, "0"])
                #expect(try process.readLine() == "registers")
                for _ in 0..<200 {
                    process.signal(SIGSTOP)
                    try process.waitUntilStopped()
                    if try Self.isLockHeld(in: scratch.path) { break }
                    process.signal(SIGCONT)
                }
                if try Self.isLockHeld(in: scratch.path) { holders += 1 }
                process.signal(SIGKILL)
                #expect(try process.wait() == .signalled(SIGKILL))
                // This process reads and commits. It needs the lock of the table of readers, and that of writers.
                let next = try ChildProcess(victim, ["lmdb", scratch.path, "1"])
                #expect(try next.wait(within: .seconds(30)) == .exited(0), "\(next.lines)")
                let reader = try ChildProcess(victim, ["lmdb-count", scratch.path, "0"])
                #expect(try reader.wait(within: .seconds(30)) == .exited(0))
                #expect(reader.lines == ["count 1"])
            }
            #expect(holders == 20 * scale, "\(holders) processes had the lock, of \(attempts) that were killed")
        }

        /// Whether a process has the lock of the table of readers. In LMDB's lock file, the lock follows 8 bytes: it is either
        /// a mutex of the C library, which begins with the number of its owner, or the name of a lock of `tidelog-lmdb`, whose
        /// last byte says whether it is owned.
        private static func isLockHeld(in directory: String) throws -> Bool {
            let file = try Data(contentsOf: URL(filePath: directory + "/lock.mdb"))
            let lock = file.dropFirst(8).prefix(32)
            if lock.starts(with: Data("/MDBr".utf8)) { return lock.last != 0 }
            return lock.prefix(4).contains { $0 != 0 }
        }
    }
#endif
