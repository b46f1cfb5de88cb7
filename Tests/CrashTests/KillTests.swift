#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing
    import SeededNumbers

    @Suite("A killed writer")
    struct KillTests {
        static let stores = ["lmdb", "sqlite"].flatMap { adapter in
            ["full", "relaxed"].map { (adapter, $0) }
        }

        @Test(
            "a killed writer leaves every acknowledged commit, only whole commits, and rows that equal the log",
            arguments: stores)
        func randomInstants(adapter: String, durability: String) throws {
            // There are 4 kinds of stores. For each kind, 9 stores are killed 4 times each: 144 kills at a scale of 1.
            let killsPerStore = 4
            let storeCount = Scale.times(34) / killsPerStore + 1
            for index in 0..<storeCount {
                let seed = Scale.seed &* 1_000 &+ UInt64(index)
                try killRepeatedly(adapter, durability, seed: seed, kills: min(killsPerStore, Scale.times(34)))
            }
        }

        private func killRepeatedly(_ adapter: String, _ durability: String, seed: UInt64, kills: Int) throws {
            var random = SeededGenerator(seed)
            let workload =
                ["batch", "insert", "savers", "update", "reopen", "grow"].randomElement(using: &random) ?? ""
            let scene = try StoreScene(workload, adapter, durability)
            var first = 0
            var acknowledged: [Int] = []
            for kill in 0..<kills {
                // Savers that are killed can leave gaps in the numbers. Later commits must not fill these gaps.
                let child = try ChildProcess(StoreScene.victim, scene.arguments("\(first)-\(first + 100_000)"))
                if Int.random(in: 0..<4, using: &random) > 0 { _ = try child.readLine() }
                usleep(UInt32.random(in: 0..<30_000, using: &random))
                child.signal(SIGKILL)
                let exit = try child.wait()
                let run = VictimRun(exit, child.lines, child.errorText)
                acknowledged += run.acknowledged
                let verdict = try scene.check()
                let name = "\(scene.name), seed \(seed), kill \(kill)"
                #expect(exit == .signalled(SIGKILL), "\(name): \(run.lines.suffix(3)) \(run.errors)")
                #expect(run.failed.isEmpty, "\(name): \(run.failed)")
                let fault = verdict.fault(after: acknowledged)
                #expect(fault == nil, "\(name): \(fault ?? "")")
                guard let numbers = verdict.numbers else { return }
                if workload != "savers" {
                    #expect(numbers == Array(0..<numbers.count), "\(name): gaps in \(numbers)")
                    // A commit that an earlier run made without an acknowledgement does not count for this run.
                    let spare = numbers.count - max(first, acknowledged.last.map { $0 + 1 } ?? first)
                    #expect(spare <= 1, "\(name): \(spare) commits that were not asked for")
                }
                first = (numbers.max() ?? -1) + 1
            }
        }

        @Test(
            "a writer that is killed before, during or after any write call loses no acknowledged commit",
            arguments: [
                ("insert", "7"), ("update", "15"), ("batch", "6"), ("savers", "12"), ("reopen", "3"), ("grow", "9"),
            ],
            ["lmdb", "sqlite"])
        func everyCall(workload: (name: String, count: String), adapter: String) throws {
            let durability = ["full", "relaxed"][(workload.name.count + adapter.count) % 2]
            let whole = try StoreScene(workload.name, adapter, durability)
            #expect(try whole.run(workload.count).exit == .exited(0))
            let total = try whole.faults.counts().writes
            let modes = FaultPlan.Kill.Mode.deadly
            for call in 1...total {
                // Each call is tested with one of the modes, in turn. With a scale of 2 or more, each call is tested
                // with all modes.
                for (index, mode) in modes.enumerated() where Scale.factor >= 2 || index == call % modes.count {
                    try kill(workload, adapter, durability, FaultPlan.Kill(call: call, mode: mode))
                }
            }
        }

        private func kill(
            _ workload: (name: String, count: String), _ adapter: String, _ durability: String, _ kill: FaultPlan.Kill
        ) throws {
            var scene = try StoreScene(workload.name, adapter, durability)
            scene.faults.plan.kill = kill
            let run = try scene.run(workload.count)
            scene.faults.plan.kill = nil
            let name = "\(scene.name) \(workload.count), killed \(kill.mode) call \(kill.call)"
            // The store projects rows when it has time, so the run may end before it makes this number of calls.
            let isDone = try run.exit == .exited(0) && scene.faults.counts().writes < kill.call
            if workload.name != "savers" {
                #expect(isDone || run.exit == .signalled(SIGKILL), "\(name): \(run.exit) \(run.lines)")
            }
            let verdict = try scene.check()
            let fault = verdict.fault(after: run.acknowledged)
            #expect(fault == nil, "\(name): \(fault ?? "")")
            if let numbers = verdict.numbers, workload.name != "savers" {
                #expect(numbers == Array(0..<numbers.count), "\(name): \(numbers)")
                #expect(numbers.count <= run.acknowledged.count + 1, "\(name): \(numbers)")
            }
        }
    }

    extension FaultPlan.Kill.Mode {
        static let deadly: [Self] = [.before, .after, .torn]
    }
#endif
