#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    // A volume can lose unsynced data without a restart of the system, for example if a disk is pulled out and put back.
    @Suite("Volumes that are mounted again", .serialized)
    struct MountTests {
        private static let unavailability = LoopVolume.unavailability()
        private static let adapters = ["lmdb", "sqlite"]

        /// A store on a volume whose writer was killed in the middle of its work.
        private struct KilledStore {
            let volume: LoopVolume
            let scene: StoreScene
            let acknowledged: [Int]

            init(_ adapter: String, _ durability: String) throws {
                volume = try LoopVolume()
                scene = try StoreScene("insert", adapter, durability, root: volume.url)
                let child = try ChildProcess(StoreScene.victim, scene.arguments("1000000"))
                for _ in 0..<200 { _ = try child.readLine() }
                child.signal(SIGKILL)
                _ = try child.wait()
                acknowledged = VictimRun(.exited(0), child.lines).acknowledged
            }

            /// The names of the directories of rows. If the store trusted the first rows, `rows-1` is the only one.
            func rows() throws -> [String] {
                let generation = scene.directory.appendingPathComponent("generation-1")
                return try FileManager.default.contentsOfDirectory(atPath: generation.path).filter {
                    $0.hasPrefix("rows-")
                }
            }
        }

        @Test(
            "rows that were not synced when their volume was mounted again are recreated",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func lostPages(adapter: String) throws {
            let store = try KilledStore(adapter, "full")
            try store.volume.loseUnsyncedPages()
            let fault = try store.scene.check().fault(after: store.acknowledged)
            #expect(fault == nil, "\(fault ?? "")")
            #expect(try store.rows() == ["rows-2"])
        }

        @Test(
            "rows are trusted in the mount that wrote them, even at another path or in another mount namespace",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func sameMount(adapter: String) throws {
            let store = try KilledStore(adapter, "full")
            #expect(try store.scene.check().fault(after: store.acknowledged) == nil)
            #expect(try store.rows() == ["rows-1"])
            // Two more writers are killed. The first check sees the volume at another path, and the second check sees
            // it in another mount namespace.
            for round in 0..<2 {
                let count = store.acknowledged.count + 10 * (round + 1)
                let child = try ChildProcess(StoreScene.victim, store.scene.arguments("\(count)-1000000"))
                for _ in 0..<5 { _ = try child.readLine() }
                child.signal(SIGKILL)
                _ = try child.wait()
                if round == 0 {
                    let other = try TemporaryDirectory("tidelog-bound")
                    try store.volume.bind(to: other.url)
                    defer { try? LoopVolume.unbind(other.url) }
                    let verdict = try store.scene.check(other.file("store"))
                    #expect(verdict.numbers != nil, "\(verdict)")
                } else {
                    let contained = try ChildProcess(
                        URL(fileURLWithPath: "/usr/bin/unshare"),
                        ["--mount", StoreScene.victim.path, "check", store.scene.directory.path, adapter, "insert"])
                    #expect(try contained.wait() == .exited(0), "\(contained.lines) \(contained.errorText)")
                }
                #expect(try store.rows() == ["rows-1"], "round \(round)")
            }
        }

        @Test(
            "a reader that cannot tell mounts apart trusts the rows of a running writer",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters, ["full", "relaxed"])
        func besideWriter(adapter: String, durability: String) throws {
            // The writer must not fill the volume, however long the reader takes.
            let volume = try LoopVolume(byteCount: 1 << 30)
            let scene = try StoreScene("batch", adapter, durability, root: volume.url)
            #expect(try scene.run("5").exit == .exited(0))
            let writer = try ChildProcess(StoreScene.victim, scene.arguments("5-1000000"))
            for _ in 0..<20 { _ = try writer.readLine() }
            // The reader has its own mount namespace, in which /sys is empty.
            let read =
                "mount -t tmpfs none /sys && exec \(try StoreScene.victim.path) read \(scene.directory.path) \(adapter) 0.2"
            let reader = try ChildProcess(
                URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "/bin/sh", "-c", read])
            #expect(try reader.wait() == .exited(0), "\(reader.lines.suffix(3)) \(reader.errorText)")
            writer.signal(SIGKILL)
            _ = try writer.wait()
        }

        @Test("the environment variable TIDELOG_BOOT_ID does not make a store distrust its rows", arguments: adapters)
        func environment(adapter: String) throws {
            let scene = try StoreScene("insert", adapter, "full")
            let child = try ChildProcess(StoreScene.victim, scene.arguments("1000000"))
            for _ in 0..<20 { _ = try child.readLine() }
            child.signal(SIGKILL)
            _ = try child.wait()
            let rows = { (number: Int) in
                FileManager.default.fileExists(atPath: scene.directory.path + "/generation-1/rows-\(number)")
            }
            let check = try ChildProcess(
                StoreScene.victim, ["check", scene.directory.path, adapter, "insert"],
                environment: ["TIDELOG_BOOT_ID": "another"])
            #expect(try check.wait() == .exited(0))
            #expect(rows(1) && !rows(2))
        }
    }
#endif
