import TidelogAmplify

/// A shopping list that several people share.
struct ShoppingList {
    private let unsent: UnsentItems

    /// Adds the plugins, and configures Amplify with the file `amplifyconfiguration.json` of the working directory.
    init() throws {
        let unsent = UnsentItems()
        self.unsent = unsent
        let isProcessed = HubFilters.forEventName(HubPayload.EventName.DataStore.outboxMutationProcessed)
        Amplify.Hub.listen(to: .dataStore, isIncluded: isProcessed) { event in
            guard let change = event.data as? OutboxMutationEvent, let item = change.element.model as? Item else {
                return
            }
            Task { await unsent.remove(item) }
        }
        try Amplify.add(plugin: AWSDataStorePlugin(modelRegistration: AmplifyModels()))
        try Amplify.add(plugin: AWSAPIPlugin())
        try Amplify.configure()
    }

    /// Puts an item on the list.
    func add(_ name: String) async throws {
        let item = Item(name: name, isBought: false)
        await unsent.insert(item)
        try await Amplify.DataStore.save(item)
    }

    /// Marks all items called `name` as bought, which takes them off the list.
    ///
    /// - Returns: Whether the list had such an item.
    func buy(_ name: String) async throws -> Bool {
        let keys = Item.keys
        let items = try await Amplify.DataStore.query(Item.self, where: keys.name.eq(name).and(keys.isBought.eq(false)))
        for var item in items {
            item.isBought = true
            await unsent.insert(item)
            try await Amplify.DataStore.save(item)
        }
        return !items.isEmpty
    }

    /// Prints the list now, and again after each change that a person makes on any device.
    func show() async throws {
        let snapshots = Amplify.DataStore.observeQuery(
            for: Item.self, where: Item.keys.isBought.eq(false), sort: .ascending(Item.keys.name))
        for try await snapshot in snapshots {
            print(snapshot.items.isEmpty ? "Nothing to buy" : snapshot.items.map(\.name).joined(separator: ", "))
        }
    }

    /// Waits at most three seconds until the server has every change of this run.
    ///
    /// - Returns: The number of items that the server does not have yet. They are sent in the next run.
    func finish() async throws -> Int {
        let count = try await unsent.count(waiting: .seconds(3))
        try await Amplify.DataStore.stop()
        return count
    }
}
