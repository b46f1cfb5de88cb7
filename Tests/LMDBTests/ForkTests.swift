import Foundation
import Testing
import TidelogLMDB

@Suite("After a fork")
struct ForkTests {
    /// Runs `body` in a forked child and answers what it answers, 0 … 255. Swift hides `fork` for good reason; this
    /// child only touches the environment and leaves at once.
    private func inChild(_ body: () -> Int32) throws -> Int32 {
        typealias Fork = @convention(c) () -> pid_t
        let symbol = try #require(dlsym(nil, "fork"))
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 { _exit(body()) }
        var status: Int32 = 0
        try #require(child > 0 && waitpid(child, &status, 0) == child)
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

    @Test("A child's every use of its parent's environment is refused, and takes nothing from the parent")
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
                isWrongProcess { () throws(LMDBError) in try environment.setMapSize(0) },
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

    @Test("A child may open the environment anew, and what it leaves behind when killed is cleared")
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
        #expect(try environment.clearStaleReaders() == 1)
        #expect(try environment.information.oldestReaderTransactionID == nil)
        #expect(try environment.beginRead().value(rows, bytes("b")) == bytes("2"))
    }
}
