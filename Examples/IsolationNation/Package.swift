// swift-tools-version: 6.2
import PackageDescription

// An app for neighbours that syncs. It has a layer over its models, and a program that uses this layer. The tests start a
// server.
let package = Package(
    name: "IsolationNation",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(
            name: "Neighbours", dependencies: [.product(name: "Tidelog", package: "tidelog")],
            plugins: [.plugin(name: "ModelgenPlugin", package: "tidelog")]),
        .executableTarget(name: "IsolationNation", dependencies: ["Neighbours"]),
        .testTarget(
            name: "IsolationNationTests",
            dependencies: [
                "IsolationNation", "Neighbours", .product(name: "Tidelog", package: "tidelog"),
                .product(name: "tidelog", package: "tidelog"),
            ]),
    ]
)
