import Testing
import TidelogSync

@testable import SyncSimulator

@Suite("Simulated devices and server")
struct SimulationTests {
    @Test("devices converge without faults", arguments: [0, 1] as [UInt64])
    func calm(seed: UInt64) async throws {
        let summary = try await SimulationPlan(seed: seed, faults: []).run()
        #expect(summary.writeCount > 5 && summary.counts["crash"] == nil)
    }

    @Test("devices converge under each single kind of fault", arguments: SimulationPlan.Fault.cases(of: .versioned))
    func oneFault(fault: SimulationPlan.Fault) async throws {
        // The fourth seed has a server whose records cannot be relied on.
        for seed in 0..<4 as Range<UInt64> { _ = try await SimulationPlan(seed: seed, faults: [fault]).run() }
    }

    /// The engine of seed 3759 asked to be woken at a time that was over, again and again, until a held mutation could begin.
    /// With the other seeds, a check of the simulation itself was too strict.
    @Test("seeds that once failed pass", arguments: [1_044, 3_759, 21_288, 21_594] as [UInt64])
    func formerFaults(seed: UInt64) async throws { _ = try await SimulationPlan(seed: seed).run() }

    @Test("devices converge under all kinds of faults together")
    func allFaults() async throws {
        var counts: [String: Int] = [:]
        var faults: Set<SimulationPlan.Fault> = []
        for seed in 0..<30 as Range<UInt64> {
            let summary = try await SimulationPlan(seed: seed).run()
            #expect(summary.changeCount >= 24)
            counts.merge(summary.counts) { $0 + $1 }
            faults.formUnion(summary.faultCounts.keys)
        }
        // Each fault must have occurred in these runs. Otherwise they would not test it.
        #expect(faults == Set(SimulationPlan.Fault.cases(of: .versioned)))
        for kind in ["overtaken", "crash", "lost", "conflict", "partition", "absence", "restore", "skew", "unusable"] {
            #expect(counts[kind, default: 0] > 0, "\(kind)")
        }
    }

    @Test("a simulation has the same result with every adapter", arguments: [0, 7, 13] as [UInt64])
    func adapters(seed: UInt64) async throws {
        let expected = try await SimulationPlan(seed: seed).run()
        for adapter in SimulationPlan.Adapter.allCases where adapter != .inMemory {
            var plan = SimulationPlan(seed: seed)
            plan.adapter = adapter
            #expect(try await plan.run() == expected, "\(adapter)")
        }
    }

    @Test("devices converge with a server that does not know the ids of mutations", arguments: [7, 15] as [UInt64])
    func unknownIDs(seed: UInt64) async throws {
        let plan = SimulationPlan(seed: seed)
        #expect(!plan.serverKnowsIDs)
        let summary = try await plan.run()
        #expect(summary.writeCount > 0)
    }

    @Test("the same seed gives the same trace")
    func repeated() async throws {
        for seed in [3, 4] as [UInt64] {
            let first = try await SimulationPlan(seed: seed).run()
            #expect(try await SimulationPlan(seed: seed).run() == first)
        }
    }

    @Test(
        "the simulation finds a fault that is planted in a state machine",
        arguments: PlantedFault.allCases.filter {
            ![
                .baseQueryForgotten, .noTimeLimit, .marksIgnored, .hintTaken, .doubtIgnored, .timesOrdered,
                .messagesTaken,
                .absenceBelieved, .keysIgnored,
            ].contains($0)
        })
    func planted(fault: PlantedFault) async throws {
        for seed in 0..<100 as Range<UInt64> {
            do { _ = try await SimulationPlan(seed: seed, planted: fault).run() } catch { return }
        }
        Issue.record("no seed finds the fault \(fault)")
    }

    @Test("a scenario finds the planted fault that a base query begins again after each restart")
    func plantedBaseQuery() async throws {
        #expect(try await MuseumTests.restartCount(Scenario(planted: .baseQueryForgotten)) == 40)
    }

    @Test("a scenario finds the planted fault that a request without a response never times out")
    func plantedTimeLimit() async throws {
        let scenario = try await Scenario(planted: .noTimeLimit)
        try await scenario.start(0, 1)
        scenario.simulation.admits = { !$0.isMutationResponse }
        try await scenario.save(0, "b0", "once")
        try await scenario.run(1_000)
        scenario.simulation.admits = nil
        try await scenario.run(300_000)
        #expect(scenario.clients[0].outbox?.isEmpty == false)
    }

    @Test("a scenario finds the planted fault that the nulls of a push are taken as they are")
    func plantedHint() async throws {
        #expect(try await HintScenarioTests.ratingAfterPush(planted: .hintTaken) == nil)
    }

    @Test("a scenario finds the planted fault that a record which a base query did not see leaves the store")
    func plantedDoubt() async throws {
        let scenario = try await HintScenarioTests.unscanned(["b0"], planted: .doubtIgnored)
        #expect(try await scenario.title(1, "b0") == nil)
    }

    @Test("a scenario finds the planted fault that a mutation gets another id after a crash")
    func plantedMarks() async throws {
        let scenario = try await Scenario(planted: .marksIgnored)
        try await scenario.start(0, 1)
        scenario.simulation.admits = { !$0.isMutationResponse }
        try await scenario.save(0, "b0", "first")
        try await scenario.run(1_000)
        try await scenario.save(0, "b0", "second")
        scenario.clients[0].end()
        scenario.simulation.admits = nil
        await #expect(throws: SimulationFailure.self) {
            try await scenario.start(0)
            try await scenario.run(20_000)
        }
    }
}
