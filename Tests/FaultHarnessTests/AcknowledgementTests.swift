#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("The acknowledgement check")
    struct AcknowledgementTests {
        @Test(
            "the check holds for a victim that syncs before it acknowledges",
            arguments: ["append", "append-dsync", "rename"])
        func correct(mode: String) throws {
            let scene = try FaultScene()
            let outcome = try scene.victim(mode, 8)
            #expect(outcome.exit == .exited(0))
            let check = try scene.check()
            #expect(check.holds, "\(check)")
            #expect(check.acknowledgements == 8 && check.changes >= 8)
        }

        @Test(
            "the check fails for a victim that acknowledges before it syncs, or never syncs",
            arguments: ["append-early", "append-forgetful", "lmdb-nosync"])
        func wrong(mode: String) throws {
            let scene = try FaultScene()
            #expect(try scene.victim(mode, 8).exit == .exited(0))
            let check = try scene.check()
            #expect(!check.holds && check.acknowledgements == 8)
            #expect(check.violations.count >= 8)
        }

        @Test(
            "the check fails if syncs are left out",
            arguments: ["append", "append-dsync", "rename", "lmdb", "sqlite"])
        func skippedSyncs(mode: String) throws {
            var scene = try FaultScene()
            scene.plan.skipsSyncs = true
            #expect(try scene.victim(mode, 8).exit == .exited(0))
            let check = try scene.check()
            #expect(!check.holds && !check.violations.isEmpty)
        }

        @Test("the check holds for LMDB and SQLite with their default settings", arguments: ["lmdb", "sqlite"])
        func databases(mode: String) throws {
            let scene = try FaultScene()
            #expect(try scene.victim(mode, 8).exit == .exited(0))
            let check = try scene.check()
            #expect(check.holds, "\(check)")
        }

        @Test("the check fails if there is no matching file or no acknowledgement")
        func vacuous() throws {
            let scene = try FaultScene()
            _ = try scene.victim("append", 2)
            let trace = try scene.trace()
            #expect(!trace.checkAcknowledgements(inFiles: { $0 == "no such file" }).holds)
            #expect(!trace.checkAcknowledgements({ _ in false }, inFiles: { _ in true }).holds)
        }

        @Test("the check holds for each of many threads that write, sync and print at once")
        func threads() throws {
            let scene = try FaultScene()
            let outcome = try scene.victim("append-threads", 20)
            #expect(outcome.exit == .exited(0) && outcome.lines.count == 160)
            let trace = try scene.trace()
            for thread in 0..<8 {
                let check = trace.checkAcknowledgements(
                    { $0.hasPrefix("ack \(thread) ") }, inFiles: { $0 == "\(thread)/log/records" })
                #expect(check.holds && check.changes == 20 && check.acknowledgements == 20, "\(check)")
            }
            #expect(try scene.differences(trace, at: trace.records.count, from: scene.root) == [])
        }

        @Test("lines in a file count as acknowledgements, like lines on standard output")
        func file() throws {
            var scene = try FaultScene()
            let lines = scene.file("lines")
            scene.plan.acknowledgements = lines
            let victim = try BuildProducts.url(of: "FaultVictim")
            let arguments = ["append", scene.root.path, "4"]
            let outcome = try scene.run(victim, arguments, environment: ["VICTIM_OUTPUT": lines.path])
            #expect(outcome.exit == .exited(0) && outcome.lines.isEmpty)
            #expect(try scene.trace().acknowledgements.map(\.text) == (0..<4).map { "ack \($0)" })
            #expect(try scene.check().holds)
        }

        @Test("the check of names holds only if the directories were synced")
        func names() throws {
            let careful = try FaultScene()
            _ = try careful.victim("append", 3)
            let check = try careful.trace().checkNames(of: { _ in true })
            #expect(check.holds, "\(check)")
            #expect(check.changes == 2)

            let careless = try FaultScene()
            _ = try careless.victim("append-nameless", 3)
            #expect(try careless.check().holds)
            let failed = try careless.trace().checkNames(of: { _ in true })
            #expect(Set(failed.violations.map(\.path)) == ["log", "log/records"])
        }
    }
#endif
