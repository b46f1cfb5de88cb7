internal import CLMDB
internal import Synchronization

extension Transaction {
    /// The keyspace with this name, or `nil` if there is none and `create` is false.
    final func findKeyspace(
        named name: String, integerKeys: Bool, create: Bool, _ operation: StaticString
    ) throws(LMDBError) -> Keyspace? {
        let pointer = try running(operation)
        let handle = try openHandle(operation)
        // LMDB ends a name at a NUL, so two different names would be the same.
        guard (1...Int(mdb_env_get_maxkeysize(handle.pointer))).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw LMDBError(.badValueSize, operation, "a keyspace's name has 1 to 511 bytes and no NUL")
        }
        if let keyspace = opened[name] { return try checked(keyspace, integerKeys, operation) }
        let answer = handle.keyspaces.withLock {
            $0.ask(for: name, by: ObjectIdentifier(self), begunAt: keyspaceGeneration)
        }
        switch answer {
        case .open(let keyspace):
            var stored: UInt32 = 0
            guard mdb_dbi_flags(pointer, keyspace.identifier, &stored) == MDB_SUCCESS else {
                throw LMDBError(.busy, operation, "opened since this transaction began: begin again")
            }
            return try checked(keyspace, integerKeys, operation)
        case .busy:
            throw LMDBError(.busy, operation, "end the other transaction that opened keyspaces, or begin again")
        case .mayOpen:
            return try openKeyspace(
                pointer, of: handle, named: name, integerKeys: integerKeys, create: create, operation)
        }
    }

    private func openKeyspace(
        _ pointer: OpaquePointer, of handle: EnvironmentHandle, named name: String, integerKeys: Bool, create: Bool,
        _ operation: StaticString
    ) throws(LMDBError) -> Keyspace? {
        var flags: UInt32 = 0
        if create { flags |= UInt32(MDB_CREATE) }
        if integerKeys { flags |= UInt32(MDB_INTEGERKEY) }
        var identifier: MDB_dbi = 0
        var stored: UInt32 = 0
        var result = mdb_dbi_open(pointer, name, flags, &identifier)
        if result == MDB_SUCCESS { result = mdb_dbi_flags(pointer, identifier, &stored) }
        guard result == MDB_SUCCESS else {
            if opened.isEmpty { finishKeyspaces(of: handle, published: false) }
            if result == MDB_NOTFOUND { return nil }
            throw LMDBError(result, operation)
        }
        let keyspace = Keyspace(identifier: identifier, usesIntegerKeys: stored & UInt32(MDB_INTEGERKEY) != 0)
        opened[name] = keyspace
        guard stored & ~UInt32(MDB_INTEGERKEY) == 0 else {
            throw LMDBError(.incompatible, operation, "the keyspace has flags unknown here")
        }
        return try checked(keyspace, integerKeys, operation)
    }

    private func checked(
        _ keyspace: Keyspace, _ integerKeys: Bool, _ operation: StaticString
    ) throws(LMDBError) -> Keyspace {
        guard keyspace.usesIntegerKeys == integerKeys else {
            throw LMDBError(.incompatible, operation, "integer keys in one, bytes in the other")
        }
        return keyspace
    }

    /// Publishes the keyspaces that this transaction opened, or discards them. After this, another transaction can open
    /// keyspaces.
    final func finishKeyspaces(of handle: EnvironmentHandle, published: Bool) {
        handle.keyspaces.withLock { table in
            table.finish(ObjectIdentifier(self), opened: published ? opened : [:])
            handle.keyspaceGeneration.store(table.generation, ordering: .releasing)
        }
        opened = [:]
    }
}
