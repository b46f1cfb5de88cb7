extension StoreOpening {
    /// Opens the store without writing events. A process that writes it may replace files meanwhile: then this begins again.
    func openForReading() throws -> OpenedParts {
        while true {
            guard let files = try directory.currentFiles() else {
                throw DataStoreError(
                    .notFound, "There is no store at \(directory.path).",
                    recovery: "Check the path, or create the store.")
            }
            do {
                return try open(generation: files.generation)
            } catch {
                guard try directory.currentFiles() != files else { throw error }
            }
        }
    }
}
