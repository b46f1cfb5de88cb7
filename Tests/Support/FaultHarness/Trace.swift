public import Foundation

/// What a victim did, read back: the records, and from them the history of every file and name.
///
/// A *cut* is a number of records: the power fails after that many took effect.
public struct Trace: Sendable {
    /// A line that the victim printed.
    public struct Acknowledgement: Sendable, Hashable {
        /// The number of records before it.
        public let position: Int
        /// The line without its end.
        public let text: String
    }

    /// What the victim did, in order.
    public let records: [TraceRecord]
    /// What it printed, in order.
    public let acknowledgements: [Acknowledgement]
    /// Paths of files that were mapped shared and writable; what was stored there is in no image.
    public let sharedMappings: Set<String>

    let bytes: Data
    let base: URL?
    /// By node; directories have none.
    let files: [Int: FileHistory]
    let names: [NameChange]
    let baseTree: NameTree

    /// Reads a trace.
    ///
    /// - Parameters:
    ///   - file: what ``FaultPlan/trace`` named.
    ///   - base: a copy of the root made before the victim ran, if the root was not empty then.
    public init(contentsOf file: URL, base: URL? = nil) throws {
        let bytes = try Data(contentsOf: file, options: .alwaysMapped)
        var reader = TraceReader(bytes)
        var history = TraceHistory()
        if let base { try history.addBase(base) }
        let baseTree = history.tree
        var records: [TraceRecord] = []
        while let record = try reader.next() {
            try history.follow(record, at: records.count)
            records.append(record)
        }
        self.bytes = bytes
        self.base = base
        self.records = records
        self.baseTree = baseTree
        files = history.files
        names = history.names
        acknowledgements = history.acknowledgements
        sharedMappings = history.sharedMappings
    }

    /// What the victim had printed when the power failed.
    public func acknowledgements(before cut: Int) -> [String] {
        acknowledgements.prefix { $0.position < cut }.map(\.text)
    }

    /// Whether a path names a file that is only a lock or shared memory, which its owner recreates: LMDB's `lock.mdb`
    /// and SQLite's `-shm`.
    public static func isSharedMemory(_ path: String) -> Bool {
        path == "lock.mdb" || path.hasSuffix("/lock.mdb") || path.hasSuffix("-lock") || path.hasSuffix("-shm")
    }
}
