#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @Suite("Disk images")
    struct ImageTests {
        @Test(
            "an image of the whole trace equals the directory",
            arguments: ["append", "append-forgetful", "rename", "lmdb", "sqlite"])
        func whole(mode: String) throws {
            let scene = try FaultScene()
            #expect(try scene.victim(mode, 12).exit == .exited(0))
            let trace = try scene.trace()
            #expect(trace.sharedMappings.allSatisfy(Trace.isSharedMemory))
            #expect(try scene.differences(trace, at: trace.records.count, from: scene.root) == [])
            #expect(try scene.differences(trace, at: trace.records.count / 2, from: scene.root) != [])
        }

        @Test("an image without unsynced data has the synced records and no other record")
        func dropped() throws {
            let scene = try FaultScene()
            _ = try scene.victim("append-forgetful", 5)
            let trace = try scene.trace()
            let end = trace.records.count
            #expect(try records(in: DiskImage(cut: end, content: .unsyncedDropped), scene, trace) == 0)

            let careful = try FaultScene()
            _ = try careful.victim("append", 5)
            let synced = try careful.trace()
            for cut in 0...synced.records.count {
                let image = DiskImage(cut: cut, content: .unsyncedDropped, names: .unsyncedDropped)
                let count = try records(in: image, careful, synced)
                let acknowledged = synced.acknowledged(before: cut)
                #expect(count == acknowledged || count == acknowledged + 1, "\(image)")
            }
        }

        @Test("no kind of image loses an acknowledged record of a victim that syncs")
        func correctVictim() throws {
            let scene = try FaultScene()
            _ = try scene.victim("append", 10)
            let trace = try scene.trace()
            for image in trace.images(count: 300, seed: 1) {
                #expect(try records(in: image, scene, trace) >= trace.acknowledged(before: image.cut), "\(image)")
            }
        }

        @Test(
            "some images lose acknowledged records of a victim that syncs too late or never",
            arguments: ["append-early", "append-forgetful"])
        func wrongVictim(mode: String) throws {
            let scene = try FaultScene()
            _ = try scene.victim(mode, 10)
            let trace = try scene.trace()
            let lost = try trace.images(count: 100, seed: 2).count {
                try records(in: $0, scene, trace) < trace.acknowledged(before: $0.cut)
            }
            #expect(lost >= 10)
        }

        @Test("images are equal for the same seed, and differ for another seed")
        func determinism() throws {
            let scene = try FaultScene()
            _ = try scene.victim("append-forgetful", 20)
            let trace = try scene.trace()
            #expect(trace.images(count: 50, seed: 7) == trace.images(count: 50, seed: 7))
            #expect(trace.images(count: 50, seed: 7) != trace.images(count: 50, seed: 8))
            var contents: Set<Data> = []
            for seed in UInt64(0)..<40 {
                let image = DiskImage(cut: trace.records.count, content: .subset(seed: seed))
                let first = try bytes(in: image, scene, trace)
                #expect(try bytes(in: image, scene, trace) == first)
                contents.insert(first)
            }
            #expect(contents.count > 10)
        }

        @Test(
            "an image tears one write between its sectors, and leaves the other writes whole", arguments: [512, 4096])
        func torn(unit: Int) throws {
            let scene = try FaultScene()
            _ = try scene.victim("append-forgetful", 20)
            let trace = try scene.trace()
            let whole = try bytes(in: DiskImage(cut: trace.records.count, content: .prefix), scene, trace)
            var torn = 0
            for seed in UInt64(0)..<60 {
                let image = DiskImage(cut: trace.records.count, content: .torn(seed: seed, unit: unit))
                let found = try bytes(in: image, scene, trace)
                let wrong = zip(found, whole).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
                guard let first = wrong.first, let last = wrong.last else { continue }
                // If no other record was dropped, only one record differs. The difference begins and ends at a sector
                // or with the record, because no byte of a record is zero.
                if last - first < Records.size {
                    torn += 1
                    #expect(first % unit == 0 || first % Records.size == 0, "\(image)")
                    #expect((last + 1) % unit == 0 || (last + 1) % Records.size == 0, "\(image)")
                }
            }
            #expect(torn > 5)
        }

        @Test("every image has the last acknowledged or the next content of a file that renames replace")
        func renames() throws {
            let scene = try FaultScene()
            _ = try scene.victim("rename", 6)
            let trace = try scene.trace()
            for image in trace.images(count: 200, seed: 3) {
                let acknowledged = trace.acknowledged(before: image.cut)
                guard acknowledged > 0 else { continue }
                try scene.withImage(image, of: trace) { directory in
                    let state = try [UInt8](Data(contentsOf: directory.appendingPathComponent("state")))
                    let allowed = [acknowledged - 1, acknowledged].map(Records.bytes)
                    #expect(allowed.contains(state), "\(image)")
                }
            }
        }

        @Test("images start from the files that were there before the trace")
        func base() throws {
            var scene = try FaultScene()
            _ = try scene.victim("rename", 2)
            let base = scene.file("base")
            try FileManager.default.copyItem(at: scene.root, to: base)
            scene.plan.trace = scene.file("second")
            _ = try scene.victim("lmdb", 3)
            _ = try scene.victim("append", 3)
            let trace = try Trace(contentsOf: scene.file("second"), base: base)
            #expect(try scene.differences(trace, at: trace.records.count, from: scene.root) == [])
            #expect(try scene.differences(trace, at: 0, from: base) == [])
        }

        private func records(in image: DiskImage, _ scene: FaultScene, _ trace: Trace) throws -> Int {
            try scene.withImage(image, of: trace) { Records.count(in: $0.appendingPathComponent("log/records")) }
        }

        private func bytes(in image: DiskImage, _ scene: FaultScene, _ trace: Trace) throws -> Data {
            try scene.withImage(image, of: trace) { try Data(contentsOf: $0.appendingPathComponent("log/records")) }
        }
    }
#endif
