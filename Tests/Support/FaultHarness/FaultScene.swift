#if os(Linux)
    public import Foundation

    /// A fresh directory for a victim to work in, with a trace and counters beside it.
    public struct FaultScene: Sendable {
        /// What is left of a victim that ended.
        public struct Outcome: Sendable {
            /// How it ended.
            public let exit: ChildProcess.Exit
            /// What it printed.
            public let lines: [String]
            /// What it printed to standard error.
            public let errors: String
        }

        private let directory: TemporaryDirectory
        /// What goes wrong; change it before a run.
        public var plan: FaultPlan

        /// The directory that the victim works in; it is there and empty.
        public var root: URL { plan.root }

        /// Makes the directory.
        ///
        /// - Parameter isTraced: whether runs write a trace.
        public init(isTraced: Bool = true) throws {
            directory = try TemporaryDirectory("tidelog-fault")
            plan = FaultPlan(root: directory.file("root"))
            plan.counts = directory.file("counts")
            if isTraced { plan.trace = directory.file("trace") }
            try FileManager.default.createDirectory(at: plan.root, withIntermediateDirectories: true)
        }

        /// Runs an executable by the plan until it ends.
        ///
        /// - Parameter limit: when it is killed and ``ChildProcess/Failure`` is thrown.
        public func run(
            _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
            within limit: Duration = .seconds(60)
        ) throws -> Outcome {
            let child = try start(executable, arguments, environment: environment)
            let exit = try child.wait(within: limit)
            return Outcome(exit: exit, lines: child.lines, errors: child.errorText)
        }

        /// Starts an executable by the plan.
        public func start(
            _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
        ) throws -> ChildProcess {
            let variables = environment.merging(try plan.environment()) { $1 }
            return try ChildProcess(executable, arguments, environment: variables)
        }

        /// The trace so far.
        public func trace() throws -> Trace {
            guard let file = plan.trace else { throw TraceError.unsupported("this scene is not traced") }
            return try Trace(contentsOf: file)
        }

        /// How many calls all runs made.
        public func counts() throws -> CallCounts {
            try CallCounts(contentsOf: directory.file("counts"))
        }

        /// A path beside the root, for an image.
        public func file(_ name: String) -> URL {
            directory.file(name)
        }
    }
#endif
