#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    // These tests put odd files where a store should be. The store repairs them or throws a typed error. It never opens
    // as an empty store.
    @Suite("Odd stores")
    struct OddStoreTests {
        private static let adapters = ["lmdb", "sqlite"]
        /// The reason why no file system can be mounted; `nil` if one can.
        private static let unavailability = TemporaryFilesystem.unavailability()

        /// A closed store of ten batches.
        private struct Sample {
            let scene: StoreScene
            let whole: Verdict

            init(_ adapter: String) throws {
                scene = try StoreScene("batch", adapter, "full")
                let run = try scene.run("10")
                #expect(run.exit == .exited(0), "\(run.lines)")
                let copy = try scene.copy()
                whole = try scene.check(copy)
                #expect(whole.numbers == Array(0..<10), "\(whole)")
            }

            var generation: URL { scene.directory.appendingPathComponent("generation-1") }
            var log: URL { generation.appendingPathComponent("log/data.mdb") }
            var rows: URL { generation.appendingPathComponent("rows-1") }
            var rowsFile: URL { rows.appendingPathComponent(scene.adapter == "lmdb" ? "data.mdb" : "rows.sqlite") }
            var lock: URL { scene.directory.appendingPathComponent("writer.lock") }

            func expectWhole(_ comment: Comment) throws {
                let verdict = try scene.check()
                #expect(verdict == whole, comment)
            }

            func expectRefusal(_ codes: Set<String>, _ comment: Comment) throws {
                guard case .refused(let code, let text) = try scene.check() else {
                    Issue.record("\(comment): not refused")
                    return
                }
                #expect(codes.contains(code), "\(comment): \(text)")
            }
        }

        @Test(
            "a store opens if its lock files contain garbage, name a dead process or are missing", arguments: adapters)
        func locks(adapter: String) throws {
            let sample = try Sample(adapter)
            for text in ["", "garbage \u{0}\u{1}", "999999999\n", String(repeating: "9", count: 100_000)] {
                try Data(text.utf8).write(to: sample.lock)
                try sample.expectWhole("\(text.prefix(10))")
            }
            for name in ["log/lock.mdb", "log/open.lock", "rows-1/lock.mdb"] {
                let file = sample.generation.appendingPathComponent(name)
                guard FileManager.default.fileExists(atPath: file.path) else { continue }
                try FileManager.default.removeItem(at: file)
                try sample.expectWhole("without \(name)")
            }
        }

        @Test("an LMDB lock file with garbage in it is repaired or refused", arguments: ["log", "rows-1"])
        func lmdbLocks(directory: String) throws {
            for bytes in [
                Data(), Data(count: 8_192), Data(repeating: 0xA5, count: 100), Data(repeating: 0xA5, count: 65_536),
            ] {
                let sample = try Sample("lmdb")
                try bytes.write(to: sample.generation.appendingPathComponent("\(directory)/lock.mdb"))
                switch try sample.scene.check() {
                case .good(let numbers, _): #expect(numbers.count == 10, "\(directory) \(bytes.count)")
                case .refused: break
                case let verdict: Issue.record("\(directory), \(bytes.count) bytes: \(verdict)")
                }
            }
        }

        @Test(
            "a log whose data file is empty or missing is an error, and no new store is created", arguments: adapters)
        func emptyLog(adapter: String) throws {
            let sample = try Sample(adapter)
            try Data().write(to: sample.log)
            try sample.expectRefusal(["logDamaged"], "zero length")
            try FileManager.default.removeItem(at: sample.log)
            try sample.expectRefusal(["logDamaged", "inputOutput"], "no data file")
            try FileManager.default.removeItem(at: sample.log.deletingLastPathComponent())
            try sample.expectRefusal(["logDamaged", "inputOutput"], "no log")
        }

        @Test("rows that are missing, empty, incomplete or of another store are recreated", arguments: adapters)
        func rows(adapter: String) throws {
            let other = try Sample(adapter)
            for (index, change)
                in ([
                    { try FileManager.default.removeItem(at: $0.rows) },
                    { try FileManager.default.removeItem(at: $0.rowsFile) },
                    { try Data().write(to: $0.rowsFile) },
                    { try FileManager.default.removeItem(at: $0.rows.appendingPathComponent("marker")) },
                    { try Data("nonsense\n".utf8).write(to: $0.rows.appendingPathComponent("marker")) },
                    { sample in
                        try FileManager.default.removeItem(at: sample.rows)
                        try FileManager.default.copyItem(at: other.rows, to: sample.rows)
                    },
                    { sample in
                        // The marker of the rows stays, and it says that the rows are good.
                        try FileManager.default.removeItem(at: sample.rowsFile)
                        try FileManager.default.copyItem(at: other.rowsFile, to: sample.rowsFile)
                    },
                ] as [(Sample) throws -> Void]).enumerated()
            {
                let sample = try Sample(adapter)
                try change(sample)
                try sample.expectWhole("change \(index)")
            }
        }

        @Test("rows that are ahead of a restored older log are recreated", arguments: adapters)
        func rowsAhead(adapter: String) throws {
            let sample = try Sample(adapter)
            let older = sample.scene.faults.file("older")
            try FileManager.default.copyItem(at: sample.log, to: older)
            #expect(try sample.scene.run("10-15").exit == .exited(0))
            try FileManager.default.removeItem(at: sample.log)
            try FileManager.default.copyItem(at: older, to: sample.log)
            let verdict = try sample.scene.check()
            #expect(verdict.numbers == Array(0..<10), "\(verdict)")
            // These commits get event numbers that the newer log used too, in a different history.
            let run = try sample.scene.run("10-12")
            #expect(run.acknowledged == [10, 11], "\(run.lines)")
            #expect(try sample.scene.check().numbers == Array(0..<12))
        }

        @Test("two copies of one store work side by side", arguments: adapters)
        func copies(adapter: String) throws {
            let sample = try Sample(adapter)
            let copy = try sample.scene.copy()
            #expect(try sample.scene.run("10-14").exit == .exited(0))
            #expect(try sample.scene.check(copy) == sample.whole)
            #expect(try sample.scene.check().numbers == Array(0..<14))
        }

        @Test(
            "a store that contains unknown files is whole, and unknown directories of its parts are removed",
            arguments: adapters)
        func leftovers(adapter: String) throws {
            let sample = try Sample(adapter)
            for name in ["generation-2.new", "generation-1/rows-9.new", "generation-1/rows-0"] {
                let directory = sample.scene.directory.appendingPathComponent(name)
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                try Data("x".utf8).write(to: directory.appendingPathComponent("y"))
            }
            try Data("x".utf8).write(to: sample.scene.directory.appendingPathComponent("notes.txt"))
            try sample.expectWhole("leftovers")
            let names = try FileManager.default.contentsOfDirectory(atPath: sample.generation.path).sorted()
            #expect(names == ["log", "rows-1"])
        }

        @Test(
            "opening a store in a read-only directory is a typed error",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"), arguments: adapters)
        func readOnlyDirectory(adapter: String) throws {
            let disk = try TemporaryFilesystem(size: 8 << 20)
            let sample = try Sample(adapter)
            let target = disk.url.appendingPathComponent("store")
            try FileManager.default.copyItem(at: sample.scene.directory, to: target)
            try disk.makeReadOnly()
            guard case .refused(let code, let text) = try sample.scene.check(target) else {
                Issue.record("not refused")
                return
            }
            #expect(code == "inputOutput", "\(text)")
        }
    }
#endif
