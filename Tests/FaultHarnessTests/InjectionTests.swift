#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("Fault injection")
    struct InjectionTests {
        @Test(
            "a victim is killed at every write call, and every acknowledged record can be read",
            arguments: [FaultPlan.Kill.Mode.before, .after, .torn])
        func killAtEvery(mode: FaultPlan.Kill.Mode) throws {
            let whole = try FaultScene()
            #expect(try whole.victim("append", 6).exit == .exited(0))
            let total = try whole.counts().writes
            #expect(total == 8)
            for call in 1...total {
                var scene = try FaultScene()
                scene.plan.kill = FaultPlan.Kill(call: call, mode: mode)
                let outcome = try scene.victim("append", 6)
                #expect(outcome.exit == .signalled(SIGKILL))
                #expect(try scene.counts().writes == call)
                // The first two calls create the directory and the file.
                let started = max(0, call - 3)
                #expect(outcome.lines.count == started)
                let records = scene.root.appendingPathComponent("log/records")
                #expect(Records.count(in: records) == (mode == .after ? max(0, call - 2) : started))
                if mode == .torn, call > 2 {
                    #expect(try Data(contentsOf: records).count == started * Records.size + 512)
                }
                let trace = try scene.trace()
                #expect(try scene.differences(trace, at: trace.records.count, from: scene.root) == [])
            }
        }

        @Test("a victim survives a kill that is planned after its last call")
        func killNever() throws {
            var scene = try FaultScene()
            scene.plan.kill = FaultPlan.Kill(call: 9)
            #expect(try scene.victim("append", 6).exit == .exited(0))
        }

        @Test(
            "the chosen write fails with the chosen error", arguments: [FaultPlan.Failure.Reason.noSpace, .inputOutput])
        func failingWrite(reason: FaultPlan.Failure.Reason) throws {
            var scene = try FaultScene()
            scene.plan.failure = FaultPlan.Failure(reason, call: 5)
            let outcome = try scene.victim("append", 6)
            let number = reason == .noSpace ? ENOSPC : EIO
            #expect(outcome.lines == ["ack 0", "ack 1", "error \(number)"])
            #expect(outcome.exit == .exited(1))
            #expect(Records.count(in: scene.root.appendingPathComponent("log/records")) == 2)
            #expect(
                try scene.trace().records.contains { if case .failed(number) = $0.operation { true } else { false } })
        }

        @Test("the chosen sync fails", arguments: [false, true])
        func failingSync(isSticky: Bool) throws {
            var scene = try FaultScene()
            // The first two syncs are of directories.
            scene.plan.failure = FaultPlan.Failure(.inputOutput, calls: .sync, call: 4, isSticky: isSticky)
            #expect(try scene.victim("append", 6).lines == ["ack 0", "error \(EIO)"])
        }

        @Test(
            "the chosen call fails alone, or together with all later calls",
            arguments: [FaultPlan.Failure.Calls.write, .sync], [false, true])
        func aloneOrSticky(calls: FaultPlan.Failure.Calls, isSticky: Bool) throws {
            var scene = try FaultScene()
            // Each of eight threads has its own directory, and ends at its first error. The first eight writes create
            // these directories.
            scene.plan.failure = FaultPlan.Failure(
                .inputOutput, calls: calls, call: calls == .write ? 9 : 1, isSticky: isSticky)
            let lines = try scene.victim("append-threads", 3).lines
            let failedCount = isSticky ? 8 : 1
            #expect(lines.count { $0.hasPrefix("error ") } == failedCount)
            #expect(lines.count { $0.hasPrefix("ack ") } == (8 - failedCount) * 3)
        }

        @Test("a write through a syncing descriptor counts as a sync")
        func failingSelfSync() throws {
            var scene = try FaultScene()
            scene.plan.failure = FaultPlan.Failure(.inputOutput, calls: .sync, call: 4)
            #expect(try scene.victim("append-dsync", 6).lines == ["ack 0", "error \(EIO)"])
        }

        @Test("the chosen call fails, and each process counts its calls from one", arguments: [false, true])
        func sticky(isSticky: Bool) throws {
            var scene = try FaultScene()
            scene.plan.failure = FaultPlan.Failure(.noSpace, call: 1, isSticky: isSticky)
            let first = try scene.victim("append", 1)
            #expect(first.lines == ["error \(ENOSPC)"])
            scene.plan.failure?.call = 2
            let second = try scene.victim("append", 1)
            #expect(second.lines == ["error \(ENOSPC)"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: scene.root.path) == ["log"])
            #expect(try scene.counts().writes == 3)
        }

        @Test(
            "LMDB keeps every acknowledged record if the disk is full at any write",
            arguments: [false, true])
        func fullDisk(isSticky: Bool) throws {
            let whole = try FaultScene(isTraced: false)
            #expect(try whole.victim("lmdb", 4).exit == .exited(0))
            let total = try whole.counts().writes
            for call in 1...total {
                var scene = try FaultScene(isTraced: false)
                scene.plan.failure = FaultPlan.Failure(.noSpace, call: call, isSticky: isSticky)
                let outcome = try scene.victim("lmdb", 4)
                #expect(outcome.exit == .exited(1), "at \(call)")
                scene.plan.failure = nil
                let acknowledged = outcome.lines.count - 1
                guard acknowledged > 0 else { continue }
                #expect(try scene.victim("lmdb-count", 0).lines == ["count \(acknowledged)"], "at \(call)")
            }
        }

        @Test("a victim can be stopped before a call, and makes the call when it continues")
        func stop() throws {
            var scene = try FaultScene()
            scene.plan.kill = FaultPlan.Kill(call: 5, mode: .stop)
            let child = try scene.start(BuildProducts.url(of: "FaultVictim"), ["append", scene.root.path, "6"])
            try child.waitUntilStopped()
            let records = scene.root.appendingPathComponent("log/records")
            #expect(Records.count(in: records) == 2)
            child.signal(SIGCONT)
            #expect(try child.wait() == .exited(0))
            #expect(Records.count(in: records) == 6)
        }

        @Test("a trace has every change and every line of a victim that uses Foundation")
        func foundation() throws {
            let scene = try FaultScene()
            let outcome = try scene.victim("foundation", 7)
            #expect(outcome.exit == .exited(0), "\(outcome.lines) \(outcome.errors)")
            let trace = try scene.trace()
            #expect(trace.acknowledgements.map(\.text) == (0..<7).map { "ack \($0)" })
            #expect(try scene.differences(trace, at: trace.records.count, from: scene.root) == [])
        }
    }
#endif
