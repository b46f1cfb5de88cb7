// swift-tools-version: 6.2
import PackageDescription

// An app whose models come from `schema.graphql`. The plugin generates them when the target is built.
let package = Package(
    name: "BlogApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(
            name: "Blog", dependencies: [.product(name: "Tidelog", package: "tidelog")],
            plugins: [.plugin(name: "ModelgenPlugin", package: "tidelog")]),
        .executableTarget(name: "BlogApp", dependencies: ["Blog"]),
        .testTarget(name: "BlogTests", dependencies: ["Blog", .product(name: "Tidelog", package: "tidelog")]),
    ]
)
