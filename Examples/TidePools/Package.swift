// swift-tools-version: 6.2
import PackageDescription

// The app of docs/TUTORIAL.md. `LaterTidePools` is the same app one version later, with another schema.
let tidelog = Target.Dependency.product(name: "Tidelog", package: "tidelog")
let generator = Target.PluginUsage.plugin(name: "ModelgenPlugin", package: "tidelog")
let package = Package(
    name: "TidePools",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(name: "TidePools", dependencies: [tidelog], plugins: [generator]),
        .target(name: "LaterTidePools", dependencies: [tidelog], plugins: [generator]),
        .testTarget(
            name: "TidePoolsTests",
            dependencies: [
                "TidePools", "LaterTidePools", tidelog, .product(name: "tidelog", package: "tidelog"),
            ]),
    ]
)
