import Testing
import TidelogSync

@testable import SyncSimulator

@Suite("Simulated devices and a server without versions")
struct StampSimulationTests {
    @Test("devices converge without faults", arguments: [0, 1] as [UInt64])
    func calm(seed: UInt64) async throws {
        let summary = try await SimulationPlan(seed: seed, protocol: .timestamps, faults: []).run()
        #expect(summary.writeCount > 5 && summary.counts["crash"] == nil)
    }

    @Test(
        "devices converge under each single kind of fault",
        arguments: SimulationPlan.Fault.cases(of: .timestamps))
    func oneFault(fault: SimulationPlan.Fault) async throws {
        // With and without tags, and with and without rules about owners.
        for seed in 0..<4 as Range<UInt64> {
            _ = try await SimulationPlan(seed: seed, protocol: .timestamps, faults: [fault]).run()
        }
    }

    @Test("devices converge under all kinds of faults together")
    func allFaults() async throws {
        var counts: [String: Int] = [:]
        var faults: Set<SimulationPlan.Fault> = []
        for seed in 0..<30 as Range<UInt64> {
            let summary = try await SimulationPlan(seed: seed, protocol: .timestamps).run()
            counts.merge(summary.counts) { $0 + $1 }
            faults.formUnion(summary.faultCounts.keys)
        }
        #expect(faults == Set(SimulationPlan.Fault.cases(of: .timestamps)))
        for kind in ["overtaken", "crash", "lost", "conflict", "partition", "absence", "restore", "skew", "unusable"] {
            #expect(counts[kind, default: 0] > 0, "\(kind)")
        }
    }

    /// The faults that the seeds found:
    ///
    /// - 180: A record that was hidden for a while never came back, because its time was that of its removal.
    /// - 693: After a conflict, a value that the response lacked was taken from the device's own row.
    /// - 999: A record left the device by an answer that was sent before a message about its return.
    /// - 1354: Two copies of a store decided a conflict in different ways under the same tag.
    /// - 3344 and 7019: The computer that took a change gave it an earlier time than its base had, and the base came back.
    /// - 8850: A query that was interrupted a day ago counted as recent, so that no query for all records followed.
    @Test("seeds that once failed pass", arguments: [180, 693, 999, 1_354, 3_344, 7_019, 8_850] as [UInt64])
    func formerFaults(seed: UInt64) async throws {
        _ = try await SimulationPlan(seed: seed, protocol: .timestamps).run()
    }

    @Test(
        "the simulation finds a fault that is planted in an engine for servers without versions",
        arguments: [.timesOrdered, .messagesTaken, .absenceBelieved, .doubtIgnored] as [PlantedFault])
    func planted(fault: PlantedFault) async throws {
        for seed in 0..<100 as Range<UInt64> {
            do { _ = try await SimulationPlan(seed: seed, protocol: .timestamps, planted: fault).run() } catch {
                return
            }
        }
        Issue.record("no seed finds the fault \(fault)")
    }
}
