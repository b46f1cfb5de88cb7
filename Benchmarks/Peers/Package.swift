// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Tidelog next to GRDB, SQLite and LMDB, each through the calls that its users write. It is a package of its own, because no
// user of Tidelog needs GRDB. `TIDELOG_GRDB` is the folder of a checkout of GRDB; without it, GRDB is left out.
let grdb = ProcessInfo.processInfo.environment["TIDELOG_GRDB"]
let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tidelog", path: "../..")]
        + (grdb.map { [.package(name: "GRDB.swift", path: $0)] } ?? []),
    targets: [
        .systemLibrary(
            name: "CPeerLMDB", path: "Sources/CPeerLMDB", pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CPeerSQLite", path: "Sources/CPeerSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CMissingSnapshots"),
        .executableTarget(
            name: "Peers",
            dependencies: [
                "CMissingSnapshots", "CPeerLMDB", "CPeerSQLite", .product(name: "Tidelog", package: "tidelog"),
            ] + (grdb == nil ? [] : [.product(name: "GRDB", package: "GRDB.swift")]),
            plugins: [.plugin(name: "ModelgenPlugin", package: "tidelog")]),
    ],
    swiftLanguageModes: [.v6]
)
