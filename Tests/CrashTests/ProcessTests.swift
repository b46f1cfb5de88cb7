#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("Several processes")
    struct ProcessTests {
        private static let adapters = ["lmdb", "sqlite"]

        private func reader(_ scene: StoreScene, seconds: Double) throws -> ChildProcess {
            try ChildProcess(
                StoreScene.victim, ["read", scene.directory.path, scene.adapter, String(seconds)])
        }

        @Test("a second writer gets an error with the pid of the process that has the store", arguments: adapters)
        func secondWriter(adapter: String) throws {
            let scene = try StoreScene("insert", adapter, "full")
            let first = try ChildProcess(StoreScene.victim, scene.arguments("1000000"))
            for _ in 0..<3 { _ = try first.readLine() }
            let second = try scene.run("3")
            #expect(second.exit == .exited(3))
            #expect(second.lines.first?.hasPrefix("error locked") == true, "\(second.lines)")
            #expect(second.lines.first?.contains("\(first.identifier)") == true, "\(second.lines)")
            first.signal(SIGKILL)
            _ = try first.wait()
            #expect(try scene.run("100000-100002").exit == .exited(0))
        }

        @Test("a reader sees only whole commits of a running writer, and newer commits over time", arguments: adapters)
        func readerBesideWriter(adapter: String) throws {
            let scene = try StoreScene("batch", adapter, "relaxed")
            #expect(try scene.run("5").exit == .exited(0))
            // Each reader sees the store before the writer begins, and ends when it has seen a newer state.
            let readers = try (0..<2).map { _ in
                try ChildProcess(StoreScene.victim, ["read", scene.directory.path, scene.adapter, "2 states"])
            }
            for reader in readers { _ = try reader.readLine() }
            let writer = try ChildProcess(StoreScene.victim, scene.arguments("5-400"))
            #expect(try writer.wait() == .exited(0), "\(writer.lines.suffix(2)) \(writer.errorText)")
            for reader in readers {
                #expect(try reader.wait() == .exited(0), "\(reader.lines.suffix(3)) \(reader.errorText)")
                #expect(reader.lines.count >= 2 && reader.lines.last == "closed", "\(reader.lines.suffix(3))")
            }
            #expect(try scene.check().numbers == Array(0..<400))
        }

        @Test("readers can open the store while a writer opens and closes it all the time", arguments: adapters)
        func readersBesideOpenings(adapter: String) throws {
            let scene = try StoreScene("reopen", adapter, "relaxed")
            #expect(try scene.run("5").exit == .exited(0))
            let writer = try ChildProcess(StoreScene.victim, scene.arguments("5-1000000"))
            for index in 0..<Scale.times(25) {
                let reader = try reader(scene, seconds: 0.02)
                let exit = try reader.wait()
                #expect(exit == .exited(0), "reader \(index): \(exit) \(reader.lines.suffix(3)) \(reader.errorText)")
            }
            writer.signal(SIGKILL)
            _ = try writer.wait()
            let acknowledged = VictimRun(.exited(0), writer.lines).acknowledged
            #expect(acknowledged.count > 5, "\(writer.lines.suffix(3))")
            let fault = try scene.check().fault(after: acknowledged)
            #expect(fault == nil, "\(fault ?? "")")
        }

        @Test("a reader continues after a writer is killed and another writer opens the store", arguments: adapters)
        func readerBesideKilledWriter(adapter: String) throws {
            let scene = try StoreScene("batch", adapter, "relaxed")
            #expect(try scene.run("5").exit == .exited(0))
            let reader = try reader(scene, seconds: 2)
            _ = try reader.readLine()
            var first = 5
            for _ in 0..<4 {
                let writer = try ChildProcess(StoreScene.victim, scene.arguments("\(first)-1000000"))
                for _ in 0..<20 { _ = try writer.readLine() }
                writer.signal(SIGKILL)
                _ = try writer.wait()
                first += VictimRun(.exited(0), writer.lines).acknowledged.count
                // The log may have one more commit, which the writer made and did not acknowledge.
                let verdict = try scene.check()
                first = verdict.numbers?.count ?? first
                #expect(verdict.numbers == Array(0..<first), "\(verdict)")
            }
            #expect(try reader.wait() == .exited(0), "\(reader.lines.suffix(3)) \(reader.errorText)")
        }

        @Test(
            "files grow while a reader is stopped in a snapshot, and stop growing after the reader continues",
            arguments: adapters)
        func stoppedReader(adapter: String) throws {
            let scene = try StoreScene("update", adapter, "relaxed")
            #expect(try scene.run("18").exit == .exited(0))
            let commits = Scale.times(3_000)
            let child = try ChildProcess(StoreScene.victim, ["hold", scene.directory.path, adapter, "120"])
            try child.waitUntilStopped()
            let small = try rowsByteCount(scene)
            #expect(try scene.run("18-\(18 + commits)").exit == .exited(0))
            // The rows keep the pages that the commits replaced, because the snapshot still needs them. Later commits
            // reuse these pages. They are enough even if a running reader ends a snapshot late.
            #expect(try rowsByteCount(scene) - small > commits << 10)
            child.signal(SIGCONT)
            // The reader sees a commit that was made while the reader was stopped, so its old snapshot has ended.
            var line = try child.readLine()
            while let seen = line, seen != "sees \(19 + commits)" { line = try child.readLine() }
            #expect(line != nil, "\(child.lines.suffix(3))")

            let before = try rowsByteCount(scene)
            #expect(try scene.run("\(18 + commits)-\(18 + 2 * commits)").exit == .exited(0))
            let growth = try rowsByteCount(scene) - before
            // The store has six records. The write-ahead log of SQLite may grow to its limit.
            let allowed = adapter == "lmdb" ? max(1 << 20, before / 10) : 56 << 20
            #expect(growth < allowed, "\(growth) bytes of growth, after \(before)")
            child.signal(SIGKILL)
            _ = try child.wait()
            let verdict = try scene.check()
            #expect(verdict.numbers?.count == 18 + 2 * commits, "\(verdict)")
        }

        private func rowsByteCount(_ scene: StoreScene) throws -> Int {
            let rows = scene.directory.appendingPathComponent("generation-1/rows-1")
            return try FileManager.default.contentsOfDirectory(atPath: rows.path).reduce(0) { sum, name in
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: rows.appendingPathComponent(name).path)
                return sum + (attributes[.size] as? Int ?? 0)
            }
        }
    }
#endif
