import Testing
import TidelogLMDB

@Suite("Transactions")
struct TransactionTests {
    @Test("What was put is got, and what was not is nil")
    func roundTrip() throws {
        let scratch = try Scratch()
        let environment = try scratch.open()
        let rows = try environment.keyspace()
        try environment.write {
            try $0.put(rows, bytes("a"), bytes("1"))
            try $0.put(rows, bytes("b"), [])
            #expect(try $0.value(rows, bytes("a")) == bytes("1"))
        }
        let reader = try environment.beginRead()
        #expect(try reader.value(rows, bytes("a")) == bytes("1"))
        #expect(try reader.value(rows, bytes("b")) == [])
        #expect(try reader.value(rows, bytes("c")) == nil)
        #expect(try reader.entryCount(rows) == 2)
    }
}
