#if os(Linux)
    public import Foundation

    /// A new directory for a victim, with a trace and counters next to it.
    public struct FaultScene: Sendable {
        /// The result of a run of a victim.
        public struct Outcome: Sendable {
            /// How the victim ended.
            public let exit: ChildProcess.Exit
            /// The lines of the victim's standard output.
            public let lines: [String]
            /// The text of the victim's standard error.
            public let errors: String
        }

        private let directory: TemporaryDirectory
        /// The plan of the faults. Change it before a run.
        public var plan: FaultPlan

        /// The directory that the victim uses. It exists and is empty.
        public var root: URL { plan.root }

        /// Makes the directory.
        ///
        /// - Parameter isTraced: Whether runs write a trace.
        public init(isTraced: Bool = true) throws {
            directory = try TemporaryDirectory("tidelog-fault")
            plan = FaultPlan(root: directory.file("root"))
            plan.counts = directory.file("counts")
            if isTraced { plan.trace = directory.file("trace") }
            try FileManager.default.createDirectory(at: plan.root, withIntermediateDirectories: true)
        }

        /// Runs an executable with the plan until it ends.
        ///
        /// - Parameter limit: The time after which the victim is killed and ``ChildProcess/Failure`` is thrown.
        public func run(
            _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
            within limit: Duration = .seconds(60)
        ) throws -> Outcome {
            let child = try start(executable, arguments, environment: environment)
            let exit = try child.wait(within: limit)
            return Outcome(exit: exit, lines: child.lines, errors: child.errorText)
        }

        /// Starts an executable with the plan.
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

        /// The number of calls that all runs made.
        public func counts() throws -> CallCounts {
            try CallCounts(contentsOf: directory.file("counts"))
        }

        /// A path next to the root, for an image.
        public func file(_ name: String) -> URL {
            directory.file(name)
        }
    }
#endif
