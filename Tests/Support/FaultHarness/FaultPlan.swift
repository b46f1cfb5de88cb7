public import Foundation

/// The faults that a victim suffers, as environment variables for the library that is preloaded into it.
///
/// `FaultInjection.h` lists the variables, and says which calls the library can and cannot see.
public struct FaultPlan: Sendable {
    /// A kill or a stop of the victim at its N-th write-type call, counted from 1.
    public struct Kill: Sendable {
        /// How the call ends.
        public enum Mode: String, Sendable, CaseIterable {
            /// SIGKILL before the call takes effect.
            case before
            /// SIGKILL after the call took effect.
            case after
            /// SIGKILL after the first 512 bytes of a write. For calls that write no bytes this is the same as `before`.
            case torn
            /// SIGSTOP before the call, which takes effect after SIGCONT.
            case stop
        }

        /// The number of the write-type call, from 1.
        public var call: Int
        /// How the call ends.
        public var mode: Mode

        /// Kills the victim at the write-type call with the number `call`.
        public init(call: Int, mode: Mode = .before) {
            self.call = call
            self.mode = mode
        }
    }

    /// A call that fails.
    public struct Failure: Sendable {
        /// The error of the failing call.
        public enum Reason: String, Sendable {
            /// No space is left. Calls that free space never fail with this error.
            case noSpace = "ENOSPC"
            /// The device failed.
            case inputOutput = "EIO"
        }

        /// The kind of calls that are counted.
        public enum Calls: String, Sendable {
            /// Writes, and changes of names and sizes.
            case write
            /// Syncs, and writes through a descriptor that syncs.
            case sync
        }

        /// The error of the failing call.
        public var reason: Reason
        /// The kind of calls that `call` counts.
        public var calls: Calls
        /// The number of the call that fails, from 1.
        public var call: Int
        /// Whether every later call fails too.
        public var isSticky: Bool

        /// A failure of the call with the number `call`, or of that call and all later ones.
        public init(_ reason: Reason, calls: Calls = .write, call: Int, isSticky: Bool = false) {
            self.reason = reason
            self.calls = calls
            self.call = call
            self.isSticky = isSticky
        }
    }

    /// The directory whose files are recorded. It need not exist, but its parent must.
    public var root: URL
    /// The file of the trace, outside of the root.
    public var trace: URL?
    /// The file of the counters, outside of the root. ``CallCounts`` reads it.
    public var counts: URL?
    /// A file or a pipe whose lines count as acknowledgements. Lines on standard output always count.
    public var acknowledgements: URL?
    /// The call at which the victim is killed.
    public var kill: Kill?
    /// The call that fails.
    public var failure: Failure?
    /// Whether syncs return success and do nothing.
    public var skipsSyncs = false
    /// The version that the LMDB library reports. If it is `nil`, the library reports its own version.
    public var libraryVersion: String?

    /// A plan without faults that records nothing.
    public init(root: URL) {
        self.root = root
    }

    /// The environment variables that make the victim follow this plan.
    ///
    /// - Throws: ``FaultLibraryError`` if the library cannot be built.
    public func environment() throws -> [String: String] {
        var environment = [
            "LD_PRELOAD": try FaultLibrary.path(),
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

/// The numbers of calls that victims made. All victims that use the same file are added up.
public struct CallCounts: Sendable {
    /// Writes, and changes of names and sizes. ``FaultPlan/Kill`` counts these calls.
    public let writes: Int
    /// Syncs, and writes through a descriptor that syncs.
    public let syncs: Int

    /// Reads the counters from the file that `counts` of a plan named. They are correct however the victim ended.
    public init(contentsOf file: URL) throws {
        let bytes = try Data(contentsOf: file)
        guard bytes.count == 16 else { throw TraceError.damaged(offset: bytes.count) }
        writes = Int(bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        syncs = Int(bytes.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}
