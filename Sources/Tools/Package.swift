// swift-tools-version: 6.2
import PackageDescription

// What operators use: the command `realmactors`. A package of its own, so that the package of the
// library needs nothing of what the tool needs.

// The same language features as the package around this one.
var settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Continuous integration treats every warning as an error; a user's build never does.
if Context.environment["CI"] != nil {
    settings.append(.treatAllWarnings(as: .error))
}

let library = Target.Dependency.product(name: "RealmActors", package: "RealmActors")

let package = Package(
    name: "RealmActorsTools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "realmactors", targets: ["realmactors"])
    ],
    dependencies: [
        // By its name, so that the folder around this one may have any.
        .package(name: "RealmActors", path: "../..", traits: ["Encryption"]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "realmactors",
            dependencies: [
                library,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        // They run the executable as a process.
        .testTarget(
            name: "ToolsTests", dependencies: ["realmactors", library], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
