extension RowsOpening {
    /// Makes rows beside the present ones that are nearly at the log's head.
    func makeBeside() throws -> UnfinishedRows {
        let number =
            factory.isPersistent ? try StoreDirectory.highest("rows-", in: directory.generation(generation)) + 1 : 1
        let adapter = try begin(number)
        do {
            // The second time takes in what was written during the first.
            for _ in 0..<2 { try replay(into: adapter) }
            try adapter.sync()
            return UnfinishedRows(adapter: adapter, number: number)
        } catch {
            try? adapter.close()
            discard(number)
            throw error
        }
    }

    /// Removes rows under construction; what cannot be removed now is removed at the next opening.
    func discard(_ number: Int) {
        try? FileSystem.removeTree(directory.rows(generation, number) + StoreDirectory.unfinished)
    }
}
