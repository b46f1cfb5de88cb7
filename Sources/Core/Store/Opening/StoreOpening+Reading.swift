extension StoreOpening {
    /// Opens the store without writing events. If the writing process replaces files during that time, this method
    /// begins again.
    func openForReading() throws -> OpenedParts {
        while true {
            guard let files = try directory.currentFiles() else {
                throw DataStoreError.noStore(at: directory.path)
            }
            do {
                return try open(generation: files.generation)
            } catch {
                guard try directory.currentFiles() != files else { throw error }
            }
        }
    }
}
