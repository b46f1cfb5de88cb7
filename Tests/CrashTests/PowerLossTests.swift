#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("Power loss")
    struct PowerLossTests {
        private static let runs = [
            ("insert", "14"), ("update", "18"), ("batch", "10"), ("savers", "16"), ("reopen", "5"), ("grow", "12"),
        ]
        private static let adapters = ["lmdb", "sqlite"]

        /// Whether a file belongs to the tail. Under full durability, an acknowledgement promises the bytes of these
        /// files only, because the environment of the log is written later.
        private static func isLog(_ path: String) -> Bool { path.contains("/log/tail-") }

        @Test(
            "under full durability, every acknowledgement follows the sync that covers its write",
            arguments: runs.filter { $0.0 != "savers" }, adapters)
        func acknowledgements(workload: (name: String, count: String), adapter: String) throws {
            let scene = try StoreScene(workload.name, adapter, "full", isTraced: true)
            #expect(try scene.run(workload.count).exit == .exited(0))
            let trace = try scene.faults.trace()
            let isAcknowledgement = { (line: String) in line.hasPrefix("ack") || line == "closed" }
            let bytes = trace.checkAcknowledgements(isAcknowledgement, inFiles: Self.isLog)
            #expect(bytes.holds, "\(scene.name) \(workload.count): \(bytes)")
            let names = trace.checkNames(isAcknowledgement) { $0.hasSuffix("/log") || Self.isLog($0) }
            #expect(names.holds, "\(scene.name) \(workload.count): \(names)")
            let mapped = trace.sharedMappings.filter { !Trace.isSharedMemory($0) }
            #expect(mapped.isEmpty, "data that was stored through a mapping is in no image")
        }

        @Test("under full durability, power loss loses no acknowledged commit", arguments: runs, adapters)
        func full(workload: (name: String, count: String), adapter: String) throws {
            try forEachImage(workload, adapter, "full", count: 12) { scene, image, trace, verdict in
                let acknowledged = VictimRun(.exited(0), trace.acknowledgements(before: image.cut)).acknowledged
                return verdict.fault(after: acknowledged) ?? unexpected(verdict, acknowledged, scene)
            }
        }

        @Test(
            "under relaxed durability, power loss leaves the first commits, and all commits before the last close",
            arguments: runs,
            adapters)
        func relaxed(workload: (name: String, count: String), adapter: String) throws {
            try forEachImage(workload, adapter, "relaxed", count: 8) { scene, image, trace, verdict in
                let lines = trace.acknowledgements(before: image.cut)
                let promised = VictimRun(.exited(0), Array(lines.prefix((lines.lastIndex(of: "closed") ?? -1) + 1)))
                return verdict.fault(after: promised.acknowledged)
                    ?? unexpected(verdict, VictimRun(.exited(0), lines).acknowledged, scene)
            }
        }

        /// Describes the fault of a store that has other commits than the first ones, or too many commits. Returns
        /// `nil` if there is no fault.
        private func unexpected(_ verdict: Verdict, _ acknowledged: [Int], _ scene: StoreScene) -> String? {
            guard scene.workload != "savers", let numbers = verdict.numbers else { return nil }
            if numbers != Array(0..<numbers.count) { return "not the first commits: \(numbers)" }
            return numbers.count > acknowledged.count + 1 ? "more than was asked for: \(numbers)" : nil
        }

        private func forEachImage(
            _ workload: (name: String, count: String), _ adapter: String, _ durability: String, count: Int,
            _ fault: (StoreScene, DiskImage, Trace, Verdict) throws -> String?
        ) throws {
            let scene = try StoreScene(workload.name, adapter, durability, isTraced: true)
            let run = try scene.run(workload.count)
            print("power loss: \(scene.name) \(workload.count), TIDELOG_CRASH_SEED=\(Scale.seed)")
            #expect(run.exit == .exited(0), "\(run.lines)")
            let trace = try scene.faults.trace()
            for image in trace.images(count: Scale.times(count), seed: Scale.seed) {
                let fault = try fault(scene, image, trace, scene.check(image, of: trace))
                #expect(fault == nil, "\(scene.name) \(workload.count), seed \(Scale.seed), \(image): \(fault ?? "")")
            }
        }

        @Test(
            "power loss loses no write under full durability to a tail's file that was made under relaxed durability",
            arguments: adapters)
        func fileMadeRelaxed(adapter: String) throws {
            let relaxed = try StoreScene("insert", adapter, "relaxed", isTraced: true)
            var full = try StoreScene("insert", adapter, "full", isTraced: true)
            full.faults = relaxed.faults
            #expect(try relaxed.run("3").exit == .exited(0))
            #expect(try full.run("3-6").exit == .exited(0))
            let trace = try full.faults.trace()
            let isAcknowledgement = { (line: String) in
                line.hasPrefix("ack") && (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) >= 3
            }
            let names = trace.checkNames(isAcknowledgement) { Self.isLog($0) }
            #expect(names.holds, "\(adapter): \(names)")
            #expect(trace.acknowledgements(before: .max).count { isAcknowledgement($0) } == 3)
            // The first writes are durable after the first close.
            let closed = try #require(trace.acknowledgements.first { $0.text == "closed" }).position
            for image in trace.images(count: Scale.times(16), seed: Scale.seed, from: closed + 1) {
                let acknowledged = VictimRun(.exited(0), trace.acknowledgements(before: image.cut)).acknowledged
                let verdict = try full.check(image, of: trace)
                let fault = verdict.fault(after: acknowledged) ?? unexpected(verdict, acknowledged, full)
                #expect(fault == nil, "\(adapter), seed \(Scale.seed), \(image): \(fault ?? "")")
            }
        }

        @Test("if syncs are left out, some images after a power loss lack acknowledged writes", arguments: adapters)
        func skippedSyncs(adapter: String) throws {
            var scene = try StoreScene("insert", adapter, "full", isTraced: true)
            scene.faults.plan.skipsSyncs = true
            #expect(try scene.run("14").exit == .exited(0))
            let trace = try scene.faults.trace()
            let check = trace.checkAcknowledgements({ $0.hasPrefix("ack") }, inFiles: Self.isLog)
            #expect(!check.holds && check.violations.count >= 14, "\(check)")
            var lost = 0
            let first = try #require(trace.acknowledgements.first).position
            for image in trace.images(count: Scale.times(24), seed: Scale.seed, from: first) {
                let acknowledged = VictimRun(.exited(0), trace.acknowledgements(before: image.cut)).acknowledged
                if try scene.check(image, of: trace).fault(after: acknowledged) != nil { lost += 1 }
            }
            #expect(lost > 5, "the images would not have shown that syncs are missing")
        }
    }
#endif
