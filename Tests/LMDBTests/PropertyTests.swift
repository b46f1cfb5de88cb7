import SeededNumbers
import Testing
import TidelogLMDB

@Suite("LMDB compared with a dictionary")
struct PropertyTests {
    @Test("Random puts, deletes, aborts and reopenings leave the same entries as in a dictionary", arguments: 1...6)
    func differential(seed: UInt64) throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(seed)
        var model: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<4 {
            let environment = try scratch.open()
            let rows = try environment.keyspace()
            for _ in 0..<12 {
                var changed = model
                let transaction = try environment.beginWrite()
                for _ in 0..<Int.random(in: 1...150, using: &generator) {
                    try change(&changed, transaction, rows, &generator)
                }
                #expect(try transaction.entryCount(rows) == changed.count)
                if Int.random(in: 0..<5, using: &generator) == 0 {
                    transaction.abort()
                } else {
                    try transaction.commit()
                    model = changed
                }
                let reader = try environment.beginRead()
                try compare(model, reader, rows)
            }
        }
    }

    private func change(
        _ model: inout [[UInt8]: [UInt8]], _ transaction: WriteTransaction, _ rows: Keyspace,
        _ generator: inout SeededGenerator
    ) throws {
        let length = Int.random(in: 1...4, using: &generator) == 1 ? Int.random(in: 1...511, using: &generator) : 2
        let key = (0..<length).map { _ in UInt8.random(in: 0...15, using: &generator) }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2:
            #expect(try transaction.delete(rows, key) == (model.removeValue(forKey: key) != nil))
        case 3:
            let cursor = try transaction.cursor(rows)
            if let entry = try key.withUnsafeBytes({ try cursor.seek(atLeast: $0) }) {
                let found = Array(entry.key)
                try cursor.deleteCurrent()
                #expect(model.removeValue(forKey: found) != nil)
            }
        default:
            let size = Int.random(in: 0..<20, using: &generator) == 0 ? 9000 : 30
            let value = Array(repeating: UInt8.random(in: 0...255, using: &generator), count: size)
            try transaction.put(rows, key, value)
            model[key] = value
        }
    }

    private func compare(_ model: [[UInt8]: [UInt8]], _ reader: ReadTransaction, _ rows: Keyspace) throws {
        let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let entries = try reader.entries(rows)
        #expect(entries.map { $0[0] } == sorted)
        #expect(entries.allSatisfy { model[$0[0]] == $0[1] })
    }
}
