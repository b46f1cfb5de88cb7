internal import CLMDB
internal import TidelogSynchronization

extension Environment {
    /// Makes the map twice as large, or as much larger as the system allows, and so large that it has the pages of other
    /// processes.
    /// - Throws: `busy` while a transaction of this process is running. Reset transactions do not matter. `addressSpace` if the
    ///   system has no addresses for a larger map. The present map then stays. If the system refuses after the present map is
    ///   gone, all transactions throw `addressSpace` from then on, and the environment must be opened again.
    public func growMap() throws(LMDBError) { try growMap(isEarly: false) }

    /// Makes the map larger like ``growMap()``. If that is early, because the present map still has space, it only happens if
    /// as many addresses stay free as the new map takes. Otherwise one map could take the addresses that another one needs.
    func growMap(isEarly: Bool) throws(LMDBError) {
        let operation: StaticString = "grow the map"
        let handle = try handle(operation)
        try handle.withExclusiveAccess(besides: 0, operation) { () throws(LMDBError) in
            var information = MDB_envinfo()
            try LMDBError.check(mdb_env_info(handle.pointer, &information), operation)
            let present = information.me_mapsize
            let used = (information.me_last_pgno + 1) * handle.pageSize
            // A transaction that did not fit must not wait for a larger map forever.
            handle.hasFullMap.store(false, ordering: .relaxed)
            for size in MapSize.forGrowing(from: present, usedByteCount: used)
            where MapSize.isAvailable(size, replacing: present, isEarly: isEarly) {
                guard mdb_env_set_mapsize(handle.pointer, size) != MDB_SUCCESS else { return }
                handle.loseMap()
                throw LMDBError(.addressSpace, operation, "the map of \(present >> 20) MiB is lost")
            }
            throw LMDBError(.addressSpace, operation, "the map has \(present >> 20) MiB")
        }
    }

    /// How much of an environment's map is in use.
    enum MapUse {
        /// At least half of the map is free.
        case small
        /// Less than half of the map is free.
        case large
        /// A write transaction did not fit.
        case full
    }

    /// How much of the map is in use. During ``growMap()``, and after the end, it counts as small.
    var mapUse: MapUse {
        guard let handle = try? handle("measure the map") else { return .small }
        if handle.hasFullMap.load(ordering: .relaxed) { return .full }
        guard (try? handle.enter("measure the map")) != nil else { return .small }
        defer { handle.leave() }
        var information = MDB_envinfo()
        guard mdb_env_info(handle.pointer, &information) == MDB_SUCCESS else { return .small }
        return (information.me_last_pgno + 1) * handle.pageSize > information.me_mapsize / 2 ? .large : .small
    }

    /// Lets the next write transaction try with the present map, although the last one did not fit.
    func forgetFullMap() { (try? handle("forget the full map"))?.hasFullMap.store(false, ordering: .relaxed) }
}
