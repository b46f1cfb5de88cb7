import SyncSimulator
import Testing
import TidelogSync

@Suite("Seeds that once failed")
struct FormerFailureTests {
    /// The faults that the seeds found:
    ///
    /// - 13: The server was restored to an older version. A check mistook an update from a lost version for an update of a
    ///   deletion.
    /// - 590: The server pushed a record while a change was set aside. When the app discarded the change after a restart, the
    ///   row did not become the pushed record.
    /// - 629: The server had forgotten the token of a query. The query waited as long as after a failure.
    @Test("a seed that once failed with the first kinds of faults passes", arguments: [13, 590, 629] as [UInt64])
    func passes(seed: UInt64) async throws {
        // The seeds were found when the simulator had only these faults. With other faults, the runs would differ.
        let faults = Set(SimulationPlan.Fault.cases(of: .versioned)).subtracting([.damage, .failure])
        let summary = try await SimulationPlan(seed: seed, faults: faults).run()
        #expect(summary.changeCount > 0)
    }

    /// The faults that the seeds found:
    ///
    /// - 163: A set-aside creation was deleted. It was replaced by an old record of the server.
    /// - 1478: The server wrote a change, and its response was lost. The server refused the repetition, and the device had a
    ///   conflict with itself.
    /// - 52138: A discarded change brought back a record that the server had deleted before the last base query.
    /// - 16069, 75613 and 76273: A discarded change was replaced by an old record. Its version was higher than the version of
    ///   the record that the server had created since.
    /// - 20171: A push overtook a response. With the response, the pushed record became visible, although the scope did not
    ///   include it.
    /// - 29428: A record was deleted on the server, created again, deleted and created again. Compaction left the last two
    ///   changes, and the device sent an update.
    /// - 47482: The server wrote a mutation late, after it had refused its repetition. A check mistook this for a conflict of
    ///   the device with itself.
    @Test(
        "a seed that once failed with all kinds of faults passes",
        arguments: [163, 1478, 16069, 20171, 29428, 47482, 52138, 75613, 76273] as [UInt64])
    func passesAll(seed: UInt64) async throws {
        #expect(try await SimulationPlan(seed: seed).run().changeCount > 0)
    }
}
