// swift-tools-version: 6.2
import PackageDescription

let tidelog = Target.Dependency.product(name: "Tidelog", package: "tidelog")
let generator = Target.PluginUsage.plugin(name: "ModelgenPlugin", package: "tidelog")

// Models of schemas that the plugin generates, compiled and run. They are a package of their own, because a package that uses
// the plugin builds the generator, and all modules that the generator needs, before anything else.
let package = Package(
    name: "GeneratedModels",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "tidelog", path: "../..")],
    targets: [
        .target(name: "ReferenceModels", dependencies: [tidelog], path: "Reference", plugins: [generator]),
        .target(name: "ReservedTypes", dependencies: [tidelog], path: "ReservedTypes", plugins: [generator]),
        .target(name: "ReservedMembers", dependencies: [tidelog], path: "ReservedMembers", plugins: [generator]),
        .target(name: "OutputsModels", dependencies: [tidelog], path: "Outputs", plugins: [generator]),
        .testTarget(
            name: "GeneratedModelTests",
            dependencies: [tidelog, "ReferenceModels", "ReservedTypes", "ReservedMembers", "OutputsModels"],
            path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
