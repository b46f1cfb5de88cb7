import Foundation
import Testing
import TidelogLMDB

@Suite("After a fork")
struct ForkTests {
    /// Runs `body` in a forked child, and returns its result, which is 0 to 255. Returns -1 if the child did not end in order.
    ///
    /// Swift hides `fork` for a good reason. If a thread of another test holds a lock at that moment, the lock stays locked in
    /// the child. An alarm kills such a child, and the method forks again, at most five times.
    private func inChild(_ body: () -> Int32) throws -> Int32 {
        typealias Fork = @convention(c) () -> pid_t
        let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
        var status: Int32 = 0
        // The threads of a pool block signals. The only thread of the child must receive the alarm.
        var alarms = sigset_t()
        sigemptyset(&alarms)
        sigaddset(&alarms, SIGALRM)
        for _ in 0..<5 {
            let child = fork()
            if child == 0 {
                pthread_sigmask(SIG_UNBLOCK, &alarms, nil)
                alarm(2)
                _exit(body())
            }
            try #require(child > 0 && waitpid(child, &status, 0) == child)
            if status & 0x7F != SIGALRM { break }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    private func isWrongProcess(_ body: () throws(LMDBError) -> Void) -> Bool {
        do throws(LMDBError) {
            try body()
            return false
        } catch {
            return error.code == .wrongProcess
        }
    }

    @Test("A child process cannot use its parent's environment, and its attempts do not affect the parent")
    func refused() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        let reader = try environment.beginRead()
        let parked = try environment.beginRead()
        parked.reset()
        let writer = try environment.beginWrite()
        try writer.put(rows, bytes("a"), bytes("1"))
        let answer = try inChild {
            let refused = [
                isWrongProcess { () throws(LMDBError) in _ = try environment.beginRead() },
                isWrongProcess { () throws(LMDBError) in _ = try environment.beginWrite() },
                isWrongProcess { () throws(LMDBError) in try parked.renew() },
                isWrongProcess { () throws(LMDBError) in try writer.commit() },
                isWrongProcess { () throws(LMDBError) in try environment.sync() },
                isWrongProcess { () throws(LMDBError) in try environment.growMap() },
                isWrongProcess { () throws(LMDBError) in try environment.clearStaleReaders() },
            ]
            reader.end()
            parked.end()
            writer.abort()
            environment.close()
            return refused.allSatisfy { $0 } ? 42 : 1
        }
        #expect(answer == 42)
        #expect(try environment.information.oldestReaderTransactionID == reader.id)
        try writer.commit()
        try parked.renew()
        #expect(try parked.value(rows, bytes("a")) == bytes("1"))
    }

    @Test("A child process may open the environment again, and the reader of a child that ended is cleared")
    func opensAnew() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
        let answer = try inChild {
            do {
                let mine = try scratch.open()
                let rows = try mine.keyspace()
                try mine.write { try $0.put(rows, bytes("b"), bytes("2")) }
                let reader = try mine.beginRead()
                _exit(try reader.value(rows, bytes("a")) == bytes("1") ? 42 : 2)
            } catch {
                return 1
            }
        }
        #expect(answer == 42)
        #expect(try environment.information.oldestReaderTransactionID != nil)
        #expect(try environment.clearStaleReaders() >= 1)
        #expect(try environment.information.oldestReaderTransactionID == nil)
        #expect(try environment.beginRead().value(rows, bytes("b")) == bytes("2"))
    }

    @Test("A write that the system cuts short is the error noSpace, which is not fatal, and later writes work")
    func shortWrite() throws {
        let scratch = try Scratch()
        let answer = try inChild {
            do {
                let environment = try scratch.open()
                let rows = try environment.keyspace()
                var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                signal(SIGXFSZ, SIG_IGN)
                #if canImport(Glibc)
                    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
                #else
                    let resource = RLIMIT_FSIZE
                #endif
                guard setrlimit(resource, &limit) == 0 else { return 2 }
                do {
                    try environment.write { try $0.put(rows, bytes("large"), Array(repeating: 1, count: 200_000)) }
                    return 3
                } catch let error as LMDBError {
                    guard error.code == .noSpace, !error.isFatal else { return 4 }
                }
                try environment.write { try $0.put(rows, bytes("a"), bytes("1")) }
                return try environment.beginRead().entries(rows) == [[bytes("a"), bytes("1")]] ? 42 : 5
            } catch {
                return 1
            }
        }
        #expect(answer == 42)
    }
}
