internal import CLMDB
internal import TidelogPlatform

extension Environment {
    /// The state of an environment at one moment.
    public struct Information: Sendable, Hashable {
        /// The size of the memory map in bytes. The data file cannot grow beyond it.
        public let mapSize: Int

        /// The number of bytes of a page.
        public let pageSize: Int

        /// The number of the last page in use. Pages are counted from 0.
        public let lastPageNumber: Int

        /// The number of the last committed transaction.
        public let lastTransactionID: UInt64

        /// The largest number of slots of the reader table that were in use at the same time.
        public let readerCount: Int

        /// The number of slots of the reader table.
        public let maximumReaders: Int

        /// The oldest snapshot that a read transaction of any process reads, or `nil` if there is none. Pages that were freed
        /// after it are not reused.
        public let oldestReaderTransactionID: UInt64?
    }

    /// The environment's state.
    public var information: Information {
        get throws(LMDBError) {
            let handle = try handle("read the environment's state")
            var information = MDB_envinfo()
            var statistics = MDB_stat()
            try LMDBError.check(mdb_env_info(handle.pointer, &information), "read the environment's state")
            try LMDBError.check(mdb_env_stat(handle.pointer, &statistics), "read the environment's state")
            return Information(
                mapSize: information.me_mapsize,
                pageSize: Int(statistics.ms_psize),
                lastPageNumber: information.me_last_pgno,
                lastTransactionID: UInt64(information.me_last_txnid),
                readerCount: Int(information.me_numreaders),
                maximumReaders: Int(information.me_maxreaders),
                oldestReaderTransactionID: oldestReader(of: handle.pointer))
        }
    }

    /// Whether the data file was removed. If so, this environment no longer sees anything that is written at its path.
    public var isRemoved: Bool {
        get throws(LMDBError) {
            let handle = try handle("look at the data file")
            var descriptor: mdb_filehandle_t = -1
            try LMDBError.check(mdb_env_get_fd(handle.pointer, &descriptor), "look at the data file")
            var status = stat()
            try LMDBError.check(fstat(descriptor, &status) == 0 ? 0 : errno, "look at the data file")
            return status.st_nlink == 0
        }
    }

    private func oldestReader(of pointer: OpaquePointer) -> UInt64? {
        var oldest: UInt64?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            _ = mdb_reader_list(
                pointer,
                { message, context in
                    guard let message, let context else { return 0 }
                    guard let reader = Environment.readerTransactionID(in: message) else { return 0 }
                    let oldest = context.assumingMemoryBound(to: UInt64?.self)
                    oldest.pointee = min(oldest.pointee ?? .max, reader)
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// The last of the three columns process, thread and transaction. It is `nil` in the heading, and for the value `-`.
    private static func readerTransactionID(in line: UnsafePointer<CChar>) -> UInt64? {
        let columns = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
        guard columns.count == 3 else { return nil }
        return UInt64(columns[2])
    }
}
