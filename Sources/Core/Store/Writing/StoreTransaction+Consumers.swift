extension StoreTransaction {
    /// Moves the consumer called `name` to `position` in the same commit. If there is no such consumer, this method
    /// registers it.
    ///
    /// The results that a consumer makes from events can be written together with its position.
    ///
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; `invalidPosition` if `position` is
    ///   before the consumer's position, after the log's head, or in another log; `lagged` if events after the
    ///   consumer's position were dropped.
    public func moveConsumer(_ name: String, to position: Position) throws {
        try ConsumerName.check(name)
        try move(name, to: position)
    }

    /// Moves the outbox to `position` in the same commit. The outbox never lapses. Below the floor, there may be no
    /// event at its position.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPosition` if `position` is before the outbox's position, after
    ///   the log's head, or in another log.
    package func moveOutbox(to position: Position) throws {
        let present = try self.position(of: ConsumerName.outbox) ?? .start
        try checkForwards(ConsumerName.outbox, from: present, to: position)
        try log.withReader { reader in
            if try position.sequence >= reader.metadata().floor.sequence { try reader.check(position) }
        }
        consumerPositions[ConsumerName.outbox] = position
    }

    private func checkForwards(_ name: String, from present: Position, to position: Position) throws {
        guard position.sequence >= present.sequence, position.sequence <= log.head.sequence else {
            throw DataStoreError(
                .invalidPosition, "The consumer \(name) cannot be moved to event \(position.sequence).",
                recovery: "A consumer moves forwards only, to events that are in the log.")
        }
    }

    /// Registers the consumer called `name` at `position`, unless it already exists.
    func registerConsumer(_ name: String, at position: Position) throws {
        try ConsumerName.check(name)
        if try self.position(of: name) == nil { try move(name, to: position) }
    }

    /// Moves a consumer, which must exist.
    func advanceConsumer(_ name: String, to position: Position) throws {
        guard try self.position(of: name) != nil else { throw ConsumerName.notFound(name) }
        try move(name, to: position)
    }

    /// Removes a consumer, if it exists.
    func removeConsumer(_ name: String) {
        requireOpen()
        consumerPositions[name] = .some(nil)
    }

    private func position(of name: String) throws -> Position? {
        requireOpen()
        if let moved = consumerPositions[name] { return moved }
        return try log.withReader { try $0.position(of: name) }
    }

    private func move(_ name: String, to position: Position) throws {
        let present = try self.position(of: name)
        if present == position { return }
        try checkForwards(name, from: present ?? .start, to: position)
        try log.withReader { reader in
            if let present { try reader.check(present) }
            let isBelowFloor = try position.sequence < reader.metadata().floor.sequence
            if isBelowFloor, present ?? .start == .start {
                consumerPositions[name] = .start
            } else {
                try reader.check(position)
                consumerPositions[name] = position
            }
        }
    }
}
