import SyncSimulator
import Testing

@Suite("Seeds that once failed")
struct FormerFailureTests {
    /// 13: a check took an update from a version that was lost with the server for an update of a deletion. 590: after a
    /// restart, a discarded change did not become what the server had pushed while it was set aside. 629: a query whose
    /// token the server had forgotten waited as long as after a failure.
    @Test("a simulation that found a fault passes since", arguments: [13, 590, 629] as [UInt64])
    func passes(seed: UInt64) async throws {
        // The faults that there were at the time: with others the seed would lead elsewhere.
        let faults = Set(SimulationPlan.Fault.allCases).subtracting([.damage, .failure])
        let summary = try await SimulationPlan(seed: seed, faults: faults).run()
        #expect(summary.changeCount > 0)
    }

    /// 163: a set-aside creation that was deleted became an old record of the server. 1478: a change that was refused after a
    /// lost response had been written, so that the device had a conflict with itself. 52138: a discarded change brought back
    /// a record that the server had deleted before the last base query. 16069, 75613 and 76273: a discarded change became an
    /// old record with a higher version than the one that the server had made since. 20171: a pushed record became visible
    /// with the response that it overtook, although the scope did not have it. 47482: a check took the late write of a mutation
    /// whose repetition had been refused for a conflict of the device with itself.
    @Test(
        "a simulation with all faults passes since",
        arguments: [163, 1478, 16069, 20171, 47482, 52138, 75613, 76273] as [UInt64])
    func passesAll(seed: UInt64) async throws {
        #expect(try await SimulationPlan(seed: seed).run().changeCount > 0)
    }
}
