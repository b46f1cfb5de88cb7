extension RowsOpening {
    /// Makes rows next to the present ones. The new rows are nearly at the log's head.
    func makeBeside() throws -> UnfinishedRows {
        let number =
            factory.isPersistent ? try StoreDirectory.highest("rows-", in: directory.generation(generation)) + 1 : 1
        let adapter = try begin(number)
        do {
            // The second replay projects the events that were appended during the first.
            for _ in 0..<2 { try replay(into: adapter) }
            try adapter.sync()
            return UnfinishedRows(adapter: adapter, number: number)
        } catch {
            try? adapter.close()
            discard(number)
            throw error
        }
    }

    /// Removes rows under construction. Files that cannot be removed now are removed at the next opening.
    func discard(_ number: Int) {
        try? FileSystem.removeTree(directory.rows(generation, number) + StoreDirectory.unfinished)
    }
}
