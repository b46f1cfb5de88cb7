// swift-tools-version: 6.2
import PackageDescription

// The size of a page in bytes, for tests. Without it, LMDB uses the system's.
let pageSize = Context.environment["TIDELOG_LMDB_PAGE_SIZE"]

let package = Package(
    name: "tidelog-lmdb",
    products: [.library(name: "CLMDB", targets: ["CLMDB"])],
    targets: [
        .target(
            name: "CLMDB",
            cSettings: [
                // The file `semaphore.h` of this folder comes before the system's.
                .headerSearchPath("."),
                .define("MDB_USE_POSIX_SEM", to: "1"),
                // A lock whose owner has died is reported with this code, as by a robust mutex.
                .define("MDB_OWNERDEAD", to: "EOWNERDEAD"),
                // LMDB's calls of these two functions go to `system.c`.
                .define("sysconf", to: "tidelog_lmdb_sysconf"),
                .define("fsync", to: "tidelog_lmdb_fsync"),
            ] + (pageSize.map { [.define("TIDELOG_LMDB_PAGE_SIZE", to: $0)] } ?? []))
    ]
)
