#if os(Linux)
    import CLMDB
    import Foundation
    import Glibc

    /// Puts one record per transaction into an LMDB environment.
    struct LMDBVictim {
        static let noSync = UInt32(MDB_NOSYNC)
        static let noMetaSync = UInt32(MDB_NOMETASYNC)
        /// With this flag, each reader that begins registers itself in the table of readers.
        static let noThreadSlots = UInt32(MDB_NOTLS)

        private let directory: String
        private let flags: UInt32

        init(_ directory: String, flags: UInt32) {
            self.directory = directory
            self.flags = flags
        }

        func run(_ count: Int) throws {
            let environment = try open()
            for number in 0..<count {
                try transaction(environment, flags: 0) { transaction in
                    var handle: MDB_dbi = 0
                    try check(mdb_dbi_open(transaction, nil, UInt32(MDB_INTEGERKEY), &handle))
                    try put(number, transaction, handle)
                }
                Victim.acknowledge("ack \(number)")
            }
            mdb_env_close(environment)
        }

        /// Registers and removes readers in several threads, until the process is killed.
        func registerReaders() throws {
            // Sound, because LMDB's environments may be used by all threads.
            nonisolated(unsafe) let environment = try open()
            let victim = self
            for _ in 0..<4 {
                Thread.detachNewThread {
                    while true {
                        do {
                            try victim.transaction(environment, flags: UInt32(MDB_RDONLY)) { _ in }
                        } catch {
                            Victim.acknowledge("error \(error)")
                            exit(1)
                        }
                    }
                }
            }
            Victim.acknowledge("registers")
            while true { sleep(60) }
        }

        /// The number of records. Each of them must be correct.
        func count() throws -> Int {
            let environment = try open()
            var count = 0
            try transaction(environment, flags: UInt32(MDB_RDONLY)) { transaction in
                var handle: MDB_dbi = 0
                let error = mdb_dbi_open(transaction, nil, UInt32(MDB_INTEGERKEY), &handle)
                if error == MDB_NOTFOUND || error == MDB_INCOMPATIBLE { return }
                try check(error)
                while try matches(count, transaction, handle) { count += 1 }
                var statistics = MDB_stat()
                try check(mdb_stat(transaction, handle, &statistics))
                if statistics.ms_entries != count { throw VictimError(number: -1) }
            }
            mdb_env_close(environment)
            return count
        }

        private func open() throws -> OpaquePointer? {
            var environment: OpaquePointer?
            try check(mdb_env_create(&environment))
            try check(mdb_env_set_mapsize(environment, 64 << 20))
            try check(mdb_env_open(environment, directory, flags, 0o600))
            return environment
        }

        private func transaction(
            _ environment: OpaquePointer?, flags: UInt32, _ body: (OpaquePointer?) throws -> Void
        ) throws {
            var transaction: OpaquePointer?
            try check(mdb_txn_begin(environment, nil, flags, &transaction))
            do {
                try body(transaction)
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try check(mdb_txn_commit(transaction))
        }

        private func put(_ number: Int, _ transaction: OpaquePointer?, _ handle: MDB_dbi) throws {
            var key = number
            var record = Victim.record(number)
            let error = withUnsafeMutableBytes(of: &key) { keyBytes in
                record.withUnsafeMutableBytes { recordBytes in
                    var key = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
                    var value = MDB_val(mv_size: recordBytes.count, mv_data: recordBytes.baseAddress)
                    return mdb_put(transaction, handle, &key, &value, 0)
                }
            }
            try check(error)
        }

        private func matches(_ number: Int, _ transaction: OpaquePointer?, _ handle: MDB_dbi) throws -> Bool {
            var key = number
            return try withUnsafeMutableBytes(of: &key) { keyBytes in
                var key = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
                var value = MDB_val()
                let error = mdb_get(transaction, handle, &key, &value)
                if error == MDB_NOTFOUND { return false }
                try check(error)
                guard
                    UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size).elementsEqual(
                        Victim.record(number))
                else { throw VictimError(number: -1) }
                return true
            }
        }

        private func check(_ error: Int32) throws {
            if error != 0 { throw VictimError(number: error) }
        }
    }
#endif
