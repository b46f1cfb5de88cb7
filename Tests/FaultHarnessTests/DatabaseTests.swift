#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("LMDB and SQLite in the fault harness")
    struct DatabaseTests {
        @Test("LMDB commits by a data sync and a meta page that syncs itself")
        func metaWrites() throws {
            let scene = try FaultScene()
            #expect(try scene.victim("lmdb", 5).exit == .exited(0))
            let counted = try Syncs(scene.trace())
            #expect(counted.selfSynced == 5)
            #expect(counted.finished >= 5)
        }

        @Test("LMDB without syncs makes no syncs")
        func noSyncs() throws {
            let scene = try FaultScene()
            #expect(try scene.victim("lmdb-nosync", 5).exit == .exited(0))
            let counted = try Syncs(scene.trace())
            #expect(counted.selfSynced == 0 && counted.finished == 0)
            #expect(try scene.counts().syncs == 0)
        }

        @Test(
            "LMDB and SQLite recover every acknowledged record from every kind of image", arguments: ["lmdb", "sqlite"])
        func images(mode: String) throws {
            let scene = try FaultScene()
            #expect(try scene.victim(mode, 8).exit == .exited(0))
            let trace = try scene.trace()
            // Before the first acknowledgement, the meta pages of LMDB may be torn, and no data has been promised.
            let first = try #require(trace.acknowledgements.first).position
            for image in trace.images(count: 60, seed: 4, from: first) {
                try expectRecovery(of: image, trace, mode, scene)
            }
        }

        @Test("LMDB without meta syncs recovers the first commits from every image, but not every acknowledged one")
        func noMetaSyncs() throws {
            let scene = try FaultScene()
            #expect(try scene.victim("lmdb-nometasync", 12).exit == .exited(0))
            let trace = try scene.trace()
            #expect(try !scene.check().holds)
            let second = trace.acknowledgements[1].position
            var lost = 0
            for image in trace.images(count: 80, seed: 5, from: second) {
                let acknowledged = trace.acknowledged(before: image.cut)
                let found = try #require(try count(in: image, trace, "lmdb", scene), "\(image)")
                #expect((acknowledged - 1...acknowledged + 1).contains(found), "\(image)")
                lost += found < acknowledged ? 1 : 0
            }
            #expect(lost > 5)
        }

        @Test("LMDB without any sync is damaged in some image")
        func damage() throws {
            let scene = try FaultScene()
            #expect(try scene.victim("lmdb-nosync", 40).exit == .exited(0))
            let trace = try scene.trace()
            let damaged = try trace.images(count: 60, seed: 6).count { try count(in: $0, trace, "lmdb", scene) == nil }
            #expect(damaged > 5)
        }

        @Test(
            "LMDB and SQLite lose acknowledged records in an image if syncs are left out",
            arguments: ["lmdb", "sqlite"])
        func withoutSyncs(mode: String) throws {
            var scene = try FaultScene()
            scene.plan.skipsSyncs = true
            #expect(try scene.victim(mode, 8).exit == .exited(0))
            let trace = try scene.trace()
            let image = DiskImage(cut: trace.records.count, content: .unsyncedDropped)
            let found = try count(in: image, trace, mode, scene)
            #expect((found ?? 0) < trace.acknowledged(before: image.cut))
        }

        @Test(
            "LMDB keeps every acknowledged record if it is killed at any call", arguments: FaultPlan.Kill.Mode.deadly
        )
        func killAtEvery(kill: FaultPlan.Kill.Mode) throws {
            let whole = try FaultScene(isTraced: false)
            _ = try whole.victim("lmdb", 4)
            for call in 1...(try whole.counts().writes) {
                var scene = try FaultScene(isTraced: false)
                scene.plan.kill = FaultPlan.Kill(call: call, mode: kill)
                let outcome = try scene.victim("lmdb", 4)
                #expect(outcome.exit == .signalled(SIGKILL))
                scene.plan.kill = nil
                guard !outcome.lines.isEmpty else { continue }
                let found = try scene.victim("lmdb-count", 0).lines
                let allowed = [outcome.lines.count, outcome.lines.count + 1].map { ["count \($0)"] }
                #expect(allowed.contains(found), "at \(call)")
            }
        }

        private func expectRecovery(of image: DiskImage, _ trace: Trace, _ mode: String, _ scene: FaultScene) throws {
            let acknowledged = trace.acknowledged(before: image.cut)
            let found = try count(in: image, trace, mode, scene)
            #expect(found == acknowledged || found == acknowledged + 1, "\(image) found \(found ?? -1)")
        }

        // Returns `nil` if the database cannot be opened.
        private func count(in image: DiskImage, _ trace: Trace, _ mode: String, _ scene: FaultScene) throws -> Int? {
            try scene.withImage(image, of: trace) { directory in
                let executable = try BuildProducts.url(of: "FaultVictim")
                let child = try ChildProcess(executable, [mode + "-count", directory.path, "0"])
                guard try child.wait() == .exited(0) else { return nil }
                return child.lines.first.flatMap { Int($0.dropFirst("count ".count)) }
            }
        }
    }

    extension FaultPlan.Kill.Mode {
        static let deadly: [Self] = [.before, .after, .torn]
    }

    /// The numbers of syncs in a trace.
    private struct Syncs {
        var selfSynced = 0
        var finished = 0

        init(_ trace: Trace) {
            for record in trace.records {
                switch record.operation {
                case .write(_, _, _, selfSynced: true): selfSynced += 1
                case .syncEnded(_, .succeeded): finished += 1
                default: break
                }
            }
        }
    }
#endif
