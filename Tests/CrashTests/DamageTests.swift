#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing
    import SeededNumbers

    @Suite("Damaged files")
    struct DamageTests {
        private static let adapters = ["lmdb", "sqlite"]

        /// A store of 40 batches. It is closed or, if its rows must be marked dirty, its writer is killed.
        private struct Sample {
            let scene: StoreScene
            let log: URL
            let rows: URL
            let numbers: [Int]
            let hash: String

            init(_ adapter: String, _ durability: String = "full", isKilled: Bool = false) throws {
                scene = try StoreScene("batch", adapter, durability)
                let child = try ChildProcess(StoreScene.victim, scene.arguments(isKilled ? "1000000" : "40"))
                if isKilled {
                    for _ in 0..<40 { _ = try child.readLine() }
                    child.signal(SIGKILL)
                }
                _ = try child.wait()
                let generation = scene.directory.appendingPathComponent("generation-1")
                log = generation.appendingPathComponent("log/data.mdb")
                rows = generation.appendingPathComponent(
                    "rows-1/" + (adapter == "lmdb" ? "data.mdb" : "rows.sqlite"))
                // The check runs on a copy, because it closes the store.
                let copy = try scene.copy()
                guard case .good(let numbers, let hash) = try scene.check(copy) else {
                    throw CocoaError(.fileReadCorruptFile)
                }
                self.numbers = numbers
                self.hash = hash
            }

            /// Checks a copy of the store in which `change` changed the copy of `file`.
            func check(
                _ file: URL, isRestarted: Bool = false, _ change: (inout Data) throws -> Void
            ) throws -> Verdict {
                let copy = try scene.copy()
                defer { try? FileManager.default.removeItem(at: copy) }
                let relative = String(file.path.dropFirst(scene.directory.path.count + 1))
                let target = copy.appendingPathComponent(relative)
                var bytes = try Data(contentsOf: target)
                try change(&bytes)
                try bytes.write(to: target)
                return try scene.check(copy, isRestarted: isRestarted)
            }

            /// Whether a verdict shows that the store lost nothing.
            func isWhole(_ verdict: Verdict) -> Bool { verdict == .good(numbers: numbers, hash: hash) }
        }

        @Test("every flipped bit inside an event is found")
        func flippedEvents() throws {
            let sample = try Sample("lmdb")
            let bytes = try Data(contentsOf: sample.log)
            let events = EventPlaces(in: bytes).ranges
            #expect(events.count > 200)
            var random = SeededGenerator(Scale.seed)
            for _ in 0..<Scale.times(120) {
                let event = events.randomElement(using: &random) ?? 0..<1
                let offset = Int.random(in: event, using: &random)
                let bit = Int.random(in: 0..<8, using: &random)
                let verdict = try sample.check(sample.log) { $0[offset] ^= 1 << bit }
                let name =
                    "seed \(Scale.seed), bit \(bit) of byte \(offset - event.lowerBound) of the event at \(event)"
                guard case .refused(let code, _) = verdict else {
                    Issue.record("\(name): \(verdict)")
                    continue
                }
                #expect(["logDamaged", "newerFormat"].contains(code), "\(name): \(verdict)")
            }
        }

        @Test(
            "a log that is cut, zeroed or flipped anywhere never gives wrong records",
            arguments: ["full", "relaxed"])
        func damagedLog(durability: String) throws {
            let sample = try Sample("lmdb", durability)
            var random = SeededGenerator(Scale.seed)
            for index in 0..<Scale.times(120) {
                let damage = Damage(index, try Data(contentsOf: sample.log).count, &random)
                let verdict = try sample.check(sample.log) { damage.apply(to: &$0) }
                let name = "seed \(Scale.seed), \(durability), \(damage)"
                switch verdict {
                case .good: #expect(sample.isWhole(verdict), "\(name): \(verdict)")
                case .refused(let code, _):
                    #expect(["logDamaged", "newerFormat", "damaged"].contains(code), "\(name): \(verdict)")
                // A check that dies has found the damage too.
                case .crashed: break
                case .wrong(let what): Issue.record("\(name): \(what)")
                }
            }
        }

        @Test(
            "damaged rows are recreated, refused or found wrong, and the store is whole after they are removed")
        func damagedRows() throws {
            for adapter in Self.adapters {
                let sample = try Sample(adapter)
                var random = SeededGenerator(Scale.seed)
                for index in 0..<Scale.times(50) {
                    let damage = Damage(index, try Data(contentsOf: sample.rows).count, &random)
                    let verdict = try sample.check(sample.rows) { damage.apply(to: &$0) }
                    let name = "seed \(Scale.seed), \(adapter), \(damage)"
                    // The comparison with a replay of the log finds damage that the format of the adapter does not show.
                    switch verdict {
                    case .good: #expect(sample.isWhole(verdict), "\(name): \(verdict)")
                    case .refused(let code, _): #expect(code == "damaged", "\(name): \(verdict)")
                    case .crashed, .wrong: break
                    }
                    if index < 4 { #expect(sample.isWhole(verdict), "\(name): \(verdict)") }
                }
                // Without its rows the store is whole again, however they were damaged.
                try FileManager.default.removeItem(at: sample.rows.deletingLastPathComponent())
                let verdict = try sample.scene.check()
                #expect(sample.isWhole(verdict), "\(adapter): \(verdict)")
            }
        }
    }

    /// A way to damage a file.
    private enum Damage: CustomStringConvertible {
        case cut(to: Int)
        case zeroed(Range<Int>)
        case flipped(offset: Int, bit: Int)
        case burst(offset: Int)
        case copied(page: Int, to: Int)

        static let pageSize = 4_096

        /// The first four kinds of damage are fixed: an empty file, zeros only, half of the file, and zeros in the
        /// first page. Later ones are random.
        init(_ index: Int, _ length: Int, _ random: inout SeededGenerator) {
            let page = { (random: inout SeededGenerator) in Int.random(in: 0..<length / Self.pageSize, using: &random) }
            switch index {
            case 0: self = .cut(to: 0)
            case 1: self = .zeroed(0..<length)
            case 2: self = .cut(to: length / 2)
            case 3: self = .zeroed(0..<Self.pageSize)
            default:
                switch index % 6 {
                case 0: self = .cut(to: Int.random(in: 0..<length, using: &random))
                case 1:
                    let start = page(&random) * Self.pageSize
                    self = .zeroed(start..<start + Self.pageSize)
                case 2: self = .burst(offset: Int.random(in: 0..<length, using: &random))
                case 3: self = .copied(page: page(&random), to: page(&random))
                default:
                    self = .flipped(
                        offset: Int.random(in: 0..<length, using: &random), bit: Int.random(in: 0..<8, using: &random))
                }
            }
        }

        func apply(to bytes: inout Data) {
            switch self {
            case .cut(let length): bytes.removeLast(bytes.count - length)
            case .zeroed(let range): bytes.replaceSubrange(range, with: Data(count: range.count))
            case .flipped(let offset, let bit): bytes[offset] ^= 1 << bit
            case .burst(let offset): bytes[offset] ^= 0xFF
            case .copied(let page, let target):
                let content = bytes[page * Self.pageSize..<(page + 1) * Self.pageSize]
                bytes.replaceSubrange(target * Self.pageSize..<(target + 1) * Self.pageSize, with: Data(content))
            }
        }

        var description: String {
            switch self {
            case .cut(let length): "cut to \(length)"
            case .zeroed(let range): "zeroed \(range)"
            case .flipped(let offset, let bit): "flipped bit \(bit) of \(offset)"
            case .burst(let offset): "flipped all of \(offset)"
            case .copied(let page, let target): "page \(page) over page \(target)"
            }
        }
    }

    /// The places of the events in the file of a log. They are read from the leaves of the newest tree of LMDB.
    private struct EventPlaces {
        private(set) var ranges: [Range<Int>] = []
        private let bytes: Data
        private var pageSize = 0

        init(in bytes: Data) {
            self.bytes = bytes
            // A meta page has the size of a page at byte 40, the number of the transaction at byte 144, and the root of the
            // main tree at byte 128.
            pageSize = short(40)
            let newest = number(pageSize + 144) > number(144) ? pageSize : 0
            var names: [String: (root: UInt64, depth: Int)] = [:]
            leaves(Int(number(newest + 128))) { node in
                let key = node + 8
                let length = short(node + 6)
                let data = key + length
                names[String(decoding: bytes[key..<data], as: UTF8.self)] = (number(data + 40), short(data + 6))
            }
            guard let events = names["events"] else { return }
            leaves(Int(events.root)) { node in
                let length = short(node) | short(node + 2) << 16
                let data = node + 8 + short(node + 6)
                let isLong = short(node + 4) & 1 != 0
                let start = isLong ? Int(number(data)) * pageSize + 16 : data
                ranges.append(start..<start + length)
            }
        }

        private func leaves(_ page: Int, _ body: (Int) -> Void) {
            let start = page * pageSize
            let nodes = (short(start + 12) - 16) / 2
            let isBranch = short(start + 10) & 1 != 0
            for index in 0..<nodes {
                let node = start + short(start + 16 + 2 * index)
                if isBranch {
                    leaves(short(node) | short(node + 2) << 16 | short(node + 4) << 32, body)
                } else {
                    body(node)
                }
            }
        }

        private func number(_ offset: Int) -> UInt64 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        }

        private func short(_ offset: Int) -> Int {
            Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt16.self) })
        }
    }

    extension StoreScene {
        /// Makes a copy of the store outside of its directory.
        func copy() throws -> URL {
            let target = faults.file("copy-\(UUID().uuidString)")
            try FileManager.default.copyItem(at: directory, to: target)
            return target
        }
    }
#endif
