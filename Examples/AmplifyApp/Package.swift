// swift-tools-version: 6.2
import PackageDescription

// An app with the calls of Amplify DataStore: a shopping list for several people. The tests start a server.
let package = Package(
    name: "AmplifyApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .executableTarget(
            name: "AmplifyApp", dependencies: [.product(name: "TidelogAmplify", package: "tidelog")],
            // The language mode of most apps that were written for Amplify.
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: [.plugin(name: "ModelgenPlugin", package: "tidelog")]),
        .testTarget(
            name: "AmplifyAppTests", dependencies: ["AmplifyApp", .product(name: "tidelog", package: "tidelog")]),
    ]
)
