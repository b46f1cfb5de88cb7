#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("A killed compaction of a synced store")
    struct SyncedCompactionTests {
        private func lines(_ command: String, _ store: URL, _ adapter: String) throws -> [String] {
            let child = try ChildProcess(StoreScene.victim, ["synced", command, store.path, adapter])
            let exit = try child.wait()
            #expect(exit == .exited(0), "\(command): \(child.lines) \(child.errorText)")
            return child.lines
        }

        @Test(
            "a compaction that is killed at any write call keeps pending, shadowed, noted and set-aside changes",
            arguments: ["lmdb", "sqlite"])
        func everyCall(adapter: String) throws {
            let scene = try FaultScene(isTraced: false)
            let pristine = scene.file("pristine")
            _ = try lines("make", pristine, adapter)
            let before = try lines("show", pristine, adapter)
            let store = scene.root.appendingPathComponent("store")
            let compact = ["synced", "compact", store.path, adapter]
            let begin = {
                try? FileManager.default.removeItem(at: store)
                try FileManager.default.copyItem(at: pristine, to: store)
            }
            try begin()
            let callsBefore = (try? scene.counts().writes) ?? 0
            #expect(try scene.run(StoreScene.victim, compact).exit == .exited(0))
            let callCount = try scene.counts().writes - callsBefore
            let compacted = try lines("show", store, adapter)
            #expect(compacted[0] != before[0] && compacted.dropFirst() == before.dropFirst())
            #expect(kept(compacted[0]).isSubset(of: kept(before[0])))
            for call in 1...max(callCount, 1) {
                for (index, mode) in FaultPlan.Kill.Mode.deadly.enumerated()
                where Scale.factor >= 2 || index == call % FaultPlan.Kill.Mode.deadly.count {
                    var killed = try FaultScene(isTraced: false)
                    let store = killed.root.appendingPathComponent("store")
                    try FileManager.default.copyItem(at: pristine, to: store)
                    killed.plan.kill = FaultPlan.Kill(call: call, mode: mode)
                    _ = try killed.run(StoreScene.victim, ["synced", "compact", store.path, adapter])
                    let left = try lines("show", store, adapter)
                    let name = "killed \(mode) call \(call) of \(callCount)"
                    #expect(left.dropFirst() == before.dropFirst(), "\(name): \(left)")
                    #expect(kept(compacted[0]).isSubset(of: kept(left[0])), "\(name): \(left[0])")
                    #expect(kept(left[0]).isSubset(of: kept(before[0])), "\(name): \(left[0])")
                    _ = try lines("compact", store, adapter)
                    #expect(try lines("show", store, adapter) == compacted, "\(name)")
                }
            }
        }

        /// The numbers of the events in a line of output.
        private func kept(_ line: String) -> Set<Substring> { Set(line.split(separator: " ").dropFirst()) }
    }
#endif
