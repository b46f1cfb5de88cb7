public import Foundation

/// What is to go wrong in a victim, as environment variables for the library that is preloaded into it.
///
/// `FaultInjection.h` lists the variables and what the library can and cannot see.
public struct FaultPlan: Sendable {
    /// When the victim dies, or stops, at its N-th write-type call, counted from 1.
    public struct Kill: Sendable {
        /// How the call ends.
        public enum Mode: String, Sendable, CaseIterable {
            /// SIGKILL before the call takes effect.
            case before
            /// SIGKILL after it.
            case after
            /// SIGKILL when a write has written its first 512 bytes; as `before` for calls that write no bytes.
            case torn
            /// SIGSTOP before the call, which takes effect after SIGCONT.
            case stop
        }

        /// Which write-type call, from 1.
        public var call: Int
        /// How the call ends.
        public var mode: Mode

        /// A death at the `call`-th write-type call.
        public init(call: Int, mode: Mode = .before) {
            self.call = call
            self.mode = mode
        }
    }

    /// A call that fails.
    public struct Failure: Sendable {
        /// The error of the failing call.
        public enum Reason: String, Sendable {
            /// No space is left; calls that free space never fail with it.
            case noSpace = "ENOSPC"
            /// The device failed.
            case inputOutput = "EIO"
        }

        /// What N counts.
        public enum Calls: String, Sendable {
            /// Writes and changes of names and sizes.
            case write
            /// Syncs, and writes through a descriptor that syncs.
            case sync
        }

        /// The error of the failing call.
        public var reason: Reason
        /// What `call` counts.
        public var calls: Calls
        /// Which call fails, from 1.
        public var call: Int
        /// Whether every later call fails too.
        public var isSticky: Bool

        /// A failure of the `call`-th call, or of all from there on.
        public init(_ reason: Reason, calls: Calls = .write, call: Int, isSticky: Bool = false) {
            self.reason = reason
            self.calls = calls
            self.call = call
            self.isSticky = isSticky
        }
    }

    /// The directory whose files count. It need not exist; its parent must.
    public var root: URL
    /// Where the trace goes, outside the root.
    public var trace: URL?
    /// Where the counters go, outside the root; read them with ``CallCounts``.
    public var counts: URL?
    /// A file or pipe whose lines count as acknowledgements, as those on standard output always do.
    public var acknowledgements: URL?
    /// When the victim dies.
    public var kill: Kill?
    /// Which call fails.
    public var failure: Failure?
    /// Whether syncs return success and do nothing.
    public var skipsSyncs = false
    /// The version that the LMDB library says it has; its own if it is `nil`.
    public var libraryVersion: String?

    /// A plan in which nothing goes wrong and nothing is recorded.
    public init(root: URL) {
        self.root = root
    }

    /// The variables that make the victim follow this plan.
    ///
    /// - Throws: ``BuildProductError`` if the library was not built.
    public func environment() throws -> [String: String] {
        var environment = [
            "LD_PRELOAD": try BuildProducts.url(of: "libFaultInjection.so").path,
            "TIDELOG_FAULT_ROOT": root.path,
        ]
        environment["TIDELOG_FAULT_TRACE"] = trace?.path
        environment["TIDELOG_FAULT_COUNT"] = counts?.path
        environment["TIDELOG_FAULT_ACKNOWLEDGEMENTS"] = acknowledgements?.path
        if let kill {
            environment["TIDELOG_FAULT_KILL_AT"] = String(kill.call)
            environment["TIDELOG_FAULT_KILL_MODE"] = kill.mode.rawValue
        }
        if let failure {
            environment["TIDELOG_FAULT_FAIL"] = failure.reason.rawValue
            environment["TIDELOG_FAULT_FAIL_CALLS"] = failure.calls.rawValue
            environment["TIDELOG_FAULT_FAIL_AT"] = String(failure.call)
            environment["TIDELOG_FAULT_FAIL_STICKY"] = failure.isSticky ? "1" : "0"
        }
        environment["TIDELOG_FAULT_LMDB_VERSION"] = libraryVersion
        if skipsSyncs { environment["TIDELOG_FAULT_SKIP_SYNC"] = "1" }
        return environment
    }
}

/// How many calls victims made, added up over all that were given the same file.
public struct CallCounts: Sendable {
    /// Writes and changes of names and sizes: the N of ``FaultPlan/Kill``.
    public let writes: Int
    /// Syncs, and writes through a descriptor that syncs.
    public let syncs: Int

    /// Reads the counters that a plan's `counts` named; they are right however the victim ended.
    public init(contentsOf file: URL) throws {
        let bytes = try Data(contentsOf: file)
        guard bytes.count == 16 else { throw TraceError.damaged(offset: bytes.count) }
        writes = Int(bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        syncs = Int(bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}
