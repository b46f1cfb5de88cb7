#if os(Linux)
    import FaultHarness
    import Foundation

    /// A store on which victim processes run a workload.
    struct StoreScene {
        var faults: FaultScene
        let workload: String
        let adapter: String
        let durability: String
        private let root: URL?

        /// - Parameter root: The directory that contains the store. By default this is the root of the scene.
        init(
            _ workload: String, _ adapter: String, _ durability: String, isTraced: Bool = false, root: URL? = nil
        ) throws {
            faults = try FaultScene(isTraced: isTraced)
            self.root = root
            self.workload = workload
            self.adapter = adapter
            self.durability = durability
        }

        var directory: URL { (root ?? faults.root).appendingPathComponent("store") }

        static var victim: URL { get throws { try BuildProducts.url(of: "StoreVictim") } }

        func arguments(_ numbers: String) -> [String] {
            ["run", workload, directory.path, adapter, durability, numbers]
        }

        /// Runs the commits `numbers` of the workload, with the plan of the scene.
        func run(_ numbers: String) throws -> VictimRun {
            VictimRun(try faults.run(Self.victim, arguments(numbers)))
        }

        /// Checks the store in a new process.
        ///
        /// - Parameter isRestarted: Whether the operating system was restarted after the last write.
        func check(_ directory: URL? = nil, isRestarted: Bool = false) throws -> Verdict {
            let arguments = ["check", (directory ?? self.directory).path, adapter, workload]
            let child = try ChildProcess(Self.victim, arguments + (isRestarted ? ["restarted"] : []))
            return Verdict(try child.wait(), child.lines, child.errorText)
        }

        /// Writes an image next to the root, checks the store in the image as after a restart, and removes the image.
        func check(_ image: DiskImage, of trace: Trace) throws -> Verdict {
            let root = faults.file("image-\(UUID().uuidString)")
            try trace.write(image, to: root)
            defer { try? FileManager.default.removeItem(at: root) }
            return try check(root.appendingPathComponent("store"), isRestarted: true)
        }

        /// The workload, the adapter and the durability. Failures show them, so that the case can be repeated.
        var name: String { "\(workload) \(adapter) \(durability)" }
    }

    /// The output of a victim.
    struct VictimRun {
        let exit: ChildProcess.Exit
        let lines: [String]
        let errors: String
        /// The numbers of the acknowledged commits, in the order of their acknowledgements.
        private(set) var acknowledged: [Int] = []
        /// The numbers of the failed commits, with the code of each error.
        private(set) var failed: [(number: Int, code: String)] = []

        init(_ outcome: FaultScene.Outcome) { self.init(outcome.exit, outcome.lines, outcome.errors) }

        init(_ exit: ChildProcess.Exit, _ lines: [String], _ errors: String = "") {
            self.exit = exit
            self.lines = lines
            self.errors = errors
            for line in lines {
                let words = line.split(separator: " ").map(String.init)
                guard words.count > 2, let number = Int(words[1]) else { continue }
                if words[0] == "ack" { acknowledged.append(number) }
                if words[0] == "error" { failed.append((number, words[2])) }
            }
        }

        /// The commits that failed, and that are certainly not in the log.
        var refused: Set<Int> { Set(failed.filter { $0.code != "outcomeUnknown" }.map(\.number)) }
    }

    /// The result of a check of a store.
    enum Verdict: Equatable, CustomStringConvertible {
        /// The rows and the log agree, and every commit is whole.
        case good(numbers: [Int], hash: String)
        /// The store answered with a typed error.
        case refused(code: String, String)
        /// The store gave a wrong answer.
        case wrong(String)
        /// The process died.
        case crashed(String)

        init(_ exit: ChildProcess.Exit, _ lines: [String], _ errors: String) {
            let value = { (name: String) -> String? in
                lines.first { $0.hasPrefix(name + " ") || $0 == name }.map { String($0.dropFirst(name.count + 1)) }
            }
            switch exit {
            case .exited(0):
                let numbers = (value("numbers") ?? "").split(separator: " ").compactMap { Int($0) }
                self = .good(numbers: numbers, hash: value("hash") ?? "")
            case .exited(2): self = .wrong(value("wrong") ?? "\(lines)")
            case .exited(3):
                let text = value("error") ?? ""
                self = .refused(code: String(text.prefix { $0 != " " }), text)
            case .exited(let status): self = .crashed("status \(status) \(lines) \(errors.suffix(800))")
            case .signalled(let number): self = .crashed("signal \(number) \(lines) \(errors.suffix(800))")
            }
        }

        var description: String {
            switch self {
            case .good(let numbers, let hash): "good, \(numbers.count) commits, \(hash)"
            case .refused(_, let text): "error \(text)"
            case .wrong(let what): "wrong: \(what)"
            case .crashed(let how): "crashed: \(how)"
            }
        }

        /// The numbers of the commits in the store, or `nil` if the store is not good.
        var numbers: [Int]? {
            if case .good(let numbers, _) = self { numbers } else { nil }
        }

        /// Describes the fault in this verdict, or returns `nil` if there is none. Every acknowledged commit must be in
        /// the store, and no refused commit may be.
        func fault(after acknowledged: [Int], refused: Set<Int> = []) -> String? {
            guard let numbers else { return description }
            let missing = Set(acknowledged).subtracting(numbers)
            if !missing.isEmpty { return "acknowledged \(missing.sorted()) are missing; \(self)" }
            let unwanted = refused.intersection(numbers)
            if !unwanted.isEmpty { return "refused \(unwanted.sorted()) are there; \(self)" }
            return nil
        }
    }
#endif
