/// The items that this run changed and that the server does not have yet.
actor UnsentItems {
    private var ids: Set<String> = []

    func insert(_ item: Item) { ids.insert(item.id) }

    func remove(_ item: Item) { ids.remove(item.id) }

    /// Waits until there are no items or the time is over, and returns the number of items.
    func count(waiting time: Duration) async throws -> Int {
        let end = ContinuousClock.now + time
        while !ids.isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        return ids.count
    }
}
