// swift-tools-version: 6.2
import PackageDescription

// A shopping list for several people, written with the calls of Amplify DataStore. The tests start a server.
let package = Package(
    name: "AmplifyApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .executableTarget(
            name: "AmplifyApp", dependencies: [.product(name: "TidelogAmplify", package: "tidelog")],
            // Most apps that were written for Amplify use this language mode.
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: [.plugin(name: "ModelgenPlugin", package: "tidelog")]),
        .testTarget(
            name: "AmplifyAppTests", dependencies: ["AmplifyApp", .product(name: "tidelog", package: "tidelog")]),
    ]
)
