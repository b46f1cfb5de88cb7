public import Foundation

/// The recorded actions of a victim: the records, and the history of every file and name that follows from them.
///
/// A *cut* is a number of records. The power fails after that many records took effect.
public struct Trace: Sendable {
    /// A line that the victim printed.
    public struct Acknowledgement: Sendable, Hashable {
        /// The number of records before it.
        public let position: Int
        /// The line without its end.
        public let text: String
    }

    /// The actions of the victim, in order.
    public let records: [TraceRecord]
    /// The lines that the victim printed, in order.
    public let acknowledgements: [Acknowledgement]
    /// The paths of files that were mapped shared and writable. No image contains bytes that were stored through such a
    /// mapping.
    public let sharedMappings: Set<String>

    let bytes: Data
    let base: URL?
    /// The histories of the files, by node. Directories have none.
    let files: [Int: FileHistory]
    let names: [NameChange]
    let baseTree: NameTree

    /// Reads a trace.
    ///
    /// - Parameters:
    ///   - file: The file that ``FaultPlan/trace`` named.
    ///   - base: A copy of the root from before the run, if the root was not empty then.
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

    /// The lines that the victim had printed when the power failed.
    public func acknowledgements(before cut: Int) -> [String] {
        acknowledgements.prefix { $0.position < cut }.map(\.text)
    }

    /// Whether the path names a file that is only a lock or shared memory. Its owner recreates such a file. These are LMDB's
    /// `lock.mdb` and SQLite's `-shm`.
    public static func isSharedMemory(_ path: String) -> Bool {
        path == "lock.mdb" || path.hasSuffix("/lock.mdb") || path.hasSuffix("-lock") || path.hasSuffix("-shm")
    }
}
