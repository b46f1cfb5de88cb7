// swift-tools-version: 6.2
import PackageDescription

// An app in its own package. It needs only `Tidelog`, and two small products for its views and their tests.
let package = Package(
    name: "NotesApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(
            name: "Notes",
            dependencies: [
                .product(name: "Tidelog", package: "tidelog"), .product(name: "TidelogSwiftUI", package: "tidelog"),
            ]),
        .executableTarget(name: "NotesApp", dependencies: ["Notes"]),
        .testTarget(
            name: "NotesTests",
            dependencies: [
                "Notes", .product(name: "Tidelog", package: "tidelog"),
                .product(name: "TidelogObservation", package: "tidelog"),
            ]),
    ]
)
