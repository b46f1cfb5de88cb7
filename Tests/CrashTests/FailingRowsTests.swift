#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("A device that fails only for the rows")
    struct FailingRowsTests {
        /// Makes ten commits in a store of three commits. The failure affects only calls on the files of the rows that
        /// the store was opened with.
        private func run(
            _ adapter: String, _ durability: String, _ failure: FaultPlan.Failure?
        ) throws -> (run: VictimRun, verdict: Verdict, counts: CallCounts) {
            var scene = try StoreScene("insert", adapter, durability)
            let before = try scene.run("3")
            #expect(before.exit == .exited(0), "\(before.lines) \(before.errors)")
            let root = scene.directory
            let counts = scene.faults.file("counts-of-rows")
            scene.faults.plan.root = scene.directory.appendingPathComponent("generation-1/rows-1")
            scene.faults.plan.counts = counts
            scene.faults.plan.failure = failure
            let run = VictimRun(
                try scene.faults.run(StoreScene.victim, ["mend", root.path, adapter, durability, "3-13"]))
            return (run, try scene.check(root), try CallCounts(contentsOf: counts))
        }

        @Test(
            "failed calls on the rows' files lose no acknowledged write; rows are repaired before the next write",
            arguments: ["lmdb", "sqlite"], ["full", "relaxed"])
        func everyCall(adapter: String, durability: String) throws {
            let whole = try run(adapter, durability, nil)
            #expect(whole.run.acknowledged == Array(3..<13), "\(whole.run.lines) \(whole.run.errors)")
            let step = Scale.factor >= 2 ? 1 : max(1, whole.counts.writes / 12)
            var mendedCount = 0
            for isSticky in [false, true] {
                for call in stride(from: 1 + Int(Scale.seed) % step, through: whole.counts.writes, by: step) {
                    let failure = FaultPlan.Failure(.inputOutput, call: call, isSticky: isSticky)
                    let (run, verdict, _) = try run(adapter, durability, failure)
                    let name =
                        "\(adapter) \(durability) call \(call)\(isSticky ? " and on" : ""): \(run.lines) \(run.errors)"
                    // If opening the store fails, the victim exits with status 3.
                    #expect(run.exit == .exited(0) || run.exit == .exited(3), "\(name)")
                    #expect(!run.lines.contains { $0.hasPrefix("unexpected") || $0.hasPrefix("wrong") }, "\(name)")
                    #expect(run.failed.allSatisfy { $0.code == "inputOutput" }, "\(name)")
                    let fault = verdict.fault(after: [0, 1, 2] + run.acknowledged, refused: run.refused)
                    #expect(fault == nil, "\(name) \(fault ?? "")")
                    mendedCount += run.lines.count { $0.hasPrefix("mended") }
                }
            }
            #expect(mendedCount > 0)
        }
    }
#endif
