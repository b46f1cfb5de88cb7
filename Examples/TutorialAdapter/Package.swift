// swift-tools-version: 6.2
import PackageDescription

// An adapter in its own package. Its code needs `Tidelog`, and its tests need `TidelogConformance`.
let package = Package(
    name: "TutorialAdapter",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [.library(name: "TutorialAdapter", targets: ["TutorialAdapter"])],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(name: "TutorialAdapter", dependencies: [.product(name: "Tidelog", package: "tidelog")]),
        .testTarget(
            name: "TutorialAdapterTests",
            dependencies: [
                "TutorialAdapter", .product(name: "Tidelog", package: "tidelog"),
                .product(name: "TidelogConformance", package: "tidelog"),
            ]),
    ]
)
