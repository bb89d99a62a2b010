// swift-tools-version: 6.2
import PackageDescription

// What operators use, the command `realmactors`, and an example of a service. A package of its own,
// so that the package of the library needs nothing of what these need.

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

// What serves HTTP.
let web: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "Logging", package: "swift-log"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    "ServerSentEvents",
]

let package = Package(
    name: "RealmActorsTools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "realmactors", targets: ["realmactors"]),
        .executable(name: "orders-service", targets: ["orders-service"]),
    ],
    traits: [
        // `hosts`, for realms on a PostgreSQL. Off by default, and libpq is then neither looked for
        // nor linked.
        .trait(name: "PostgreSQL", description: "The command for realms of several hosts."),
        // The same, for realms in a bucket.
        .trait(name: "S3", description: "The command for realms of several hosts, in a bucket."),
    ],
    dependencies: [
        // By its name, so that the folder around this one may have any.
        .package(
            name: "RealmActors", path: "../..",
            traits: [
                "Encryption", "ServiceLifecycle",
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                .trait(name: "S3", condition: .when(traits: ["S3"])),
            ]),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.0.0"),
        // The HTTP client of the tests.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
    ],
    targets: [
        .executableTarget(
            name: "realmactors",
            dependencies: [
                library,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + web,
            resources: [.embedInCode("BrowsePage")],
            swiftSettings: settings),
        // The example of a service, which Documentation/Services.md explains.
        .executableTarget(
            name: "orders-service",
            dependencies: [
                library,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + web,
            exclude: ["README.md"],
            swiftSettings: settings),
        // What streams of events of both have in common.
        .target(
            name: "ServerSentEvents",
            dependencies: [
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
            ],
            swiftSettings: settings),
        // They run the executables as processes.
        .testTarget(
            name: "ToolsTests", dependencies: ["realmactors", library, "HTTPClient"],
            swiftSettings: settings),
        .testTarget(
            name: "OrdersTests",
            dependencies: [
                "orders-service", library, "HTTPClient",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "HTTPClient",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/HTTPClient", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
