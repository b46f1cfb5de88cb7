#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("A disk that is full or fails")
    struct FullDiskTests {
        private static let stores = ["lmdb", "sqlite"].flatMap { adapter in
            ["full", "relaxed"].map { (adapter, $0) }
        }
        private static let unavailability = TemporaryFilesystem.unavailability()

        @Test(
            "a store on a full disk refuses writes and answers reads, and needs no reopening once there is space",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: stores)
        func smallFilesystem(adapter: String, durability: String) throws {
            // The files of the rows need some space before the first write. With less free space, the store cannot be opened.
            for step in 0..<Scale.times(12) {
                let free = 48 + step * 36
                let disk = try TemporaryFilesystem(size: (free + 2_048) << 10)
                let ballast = disk.url.appendingPathComponent("ballast")
                try Data(count: 2_048 << 10).write(to: ballast)
                let directory = disk.url.appendingPathComponent("store")
                let child = try ChildProcess(
                    StoreScene.victim, ["full", directory.path, adapter, durability, ballast.path])
                let exit = try child.wait()
                let run = VictimRun(exit, child.lines, child.errorText)
                let name = "\(adapter) \(durability), \(free) KiB free"
                #expect(exit == .exited(0), "\(name): \(exit) \(run.lines.suffix(4)) \(run.errors)")
                #expect(run.lines.contains("freed") && run.lines.last == "closed", "\(name)")
                #expect(run.failed.allSatisfy { $0.code == "storageFull" }, "\(name): \(run.lines.suffix(30))")
                #expect(!run.lines.contains { $0.hasPrefix("unexpected") }, "\(name): \(run.lines.suffix(30))")
                let unread = run.lines.filter { $0.hasPrefix("unread") || $0.hasPrefix("incomplete") }
                #expect(unread.isEmpty, "\(name): \(unread)")
                try expectGood(directory, adapter, run, name)
            }
        }

        private func expectGood(_ directory: URL, _ adapter: String, _ run: VictimRun, _ name: String) throws {
            let child = try ChildProcess(StoreScene.victim, ["check", directory.path, adapter, "insert"])
            let verdict = Verdict(try child.wait(), child.lines, child.errorText)
            let fault = verdict.fault(after: run.acknowledged, refused: run.refused)
            #expect(fault == nil, "\(name): \(fault ?? "")")
        }

        /// One way for calls to fail.
        struct Trouble: CustomStringConvertible, Sendable {
            let reason: FaultPlan.Failure.Reason
            let calls: FaultPlan.Failure.Calls
            let isSticky: Bool

            var description: String { "\(reason) \(calls)\(isSticky ? " sticky" : "")" }

            static let all: [Trouble] = [false, true].flatMap { isSticky in
                [
                    Trouble(reason: .noSpace, calls: .write, isSticky: isSticky),
                    Trouble(reason: .inputOutput, calls: .write, isSticky: isSticky),
                    Trouble(reason: .inputOutput, calls: .sync, isSticky: isSticky),
                ]
                    // If all later syncs fail too, a group whose sync failed cannot be erased. Its outcome is then unknown.
                    + (isSticky ? [Trouble(reason: .noSpace, calls: .sync, isSticky: true)] : [])
            }
        }

        @Test(
            "if a call fails, writes throw typed errors, and the reopened store has every acknowledged commit",
            arguments: stores, Trouble.all)
        func everyCall(store: (adapter: String, durability: String), trouble: Trouble) throws {
            let whole = try StoreScene("batch", store.adapter, store.durability)
            #expect(try whole.run("5").exit == .exited(0))
            let counts = try whole.faults.counts()
            let total = trouble.calls == .write ? counts.writes : counts.syncs
            guard total > 0 else { return }
            // Each run tests some of the calls, which the seed chooses. With a scale of 2 or more, a run tests all of them.
            let step = Scale.factor >= 2 ? 1 : trouble.calls == .write ? 7 : 3
            for call in stride(from: 1 + Int(Scale.seed) % step, through: total, by: step) {
                var scene = try StoreScene("batch", store.adapter, store.durability)
                scene.faults.plan.failure = FaultPlan.Failure(
                    trouble.reason, calls: trouble.calls, call: call, isSticky: trouble.isSticky)
                let run = try scene.run("5")
                scene.faults.plan.failure = nil
                let name = "\(scene.name) 5, \(trouble) call \(call) of \(total)"
                try expectTypedErrors(run, trouble, name)
                let verdict = try scene.check()
                let fault = verdict.fault(after: run.acknowledged, refused: run.refused)
                #expect(fault == nil, "\(name): \(fault ?? "") \(run.lines)")
            }
        }

        private func expectTypedErrors(_ run: VictimRun, _ trouble: Trouble, _ name: String) throws {
            // If opening or closing the store fails, the victim reports a typed error and exits with status 3.
            let isTyped = run.exit == .exited(0) || run.exit == .exited(3)
            #expect(isTyped, "\(name): \(run.exit) \(run.lines) \(run.errors)")
            #expect(!run.lines.contains { $0.hasPrefix("unexpected") }, "\(name): \(run.lines)")
            let allowed: Set<String> =
                trouble.reason == .noSpace
                ? ["storageFull", "projectionUnavailable", "outcomeUnknown", "poisoned"]
                : ["inputOutput", "projectionUnavailable", "outcomeUnknown", "poisoned"]
            #expect(run.failed.allSatisfy { allowed.contains($0.code) }, "\(name): \(run.lines)")
            let codes = run.failed.map(\.code)
            if let first = codes.firstIndex(of: "outcomeUnknown") {
                #expect(codes[(first + 1)...].allSatisfy { $0 == "poisoned" }, "\(name): \(run.lines)")
                let unknown = run.failed[first].number
                #expect(!run.acknowledged.contains { $0 > unknown }, "\(name): a write after a failed sync")
            }
            if trouble.calls == .sync, let first = run.failed.first {
                // The first write creates the file of the tail. If that fails, the log contains nothing of the write.
                let isMakingFile = run.acknowledged.allSatisfy { $0 > first.number }
                let isExpected =
                    ["outcomeUnknown", "projectionUnavailable"].contains(first.code)
                    || isMakingFile && ["inputOutput", "storageFull"].contains(first.code)
                #expect(isExpected, "\(name): \(run.lines)")
            }
            let unread = run.lines.filter { $0.hasPrefix("unread") && $0 != "unread projectionUnavailable" }
            #expect(unread.isEmpty, "\(name): \(run.lines)")
        }
    }
#endif
