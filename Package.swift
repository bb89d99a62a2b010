// swift-tools-version: 6.2
import PackageDescription

// Upcoming language features that every target of this package is written in.
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

// Where swift-crypto takes the place of the system's library.
func withoutCryptoKit(_ traits: Set<String>) -> TargetDependencyCondition? {
    .when(platforms: [.linux, .android, .windows], traits: traits)
}

/// A product that only a trait adds.
func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let services = [
    product("Logging", of: "swift-log", for: "Logging"),
    product("Metrics", of: "swift-metrics", for: "Metrics"),
    product("Tracing", of: "swift-distributed-tracing", for: "Tracing"),
    product("ServiceLifecycle", of: "swift-service-lifecycle", for: "ServiceLifecycle"),
]
let servicesTests =
    services + [
        product("MetricsTestKit", of: "swift-metrics", for: "Metrics"),
        product("InMemoryTracing", of: "swift-distributed-tracing", for: "Tracing"),
        product(
            "ServiceLifecycleTestKit", of: "swift-service-lifecycle", for: "ServiceLifecycle"),
    ]

let package = Package(
    name: "RealmActors",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "RealmActors", targets: ["RealmActors"])
    ],
    traits: [
        // Realms that are encrypted, on systems without CryptoKit. Off by default, and swift-crypto
        // is then neither fetched nor built.
        .trait(name: "Encryption", description: "Encrypted realms on systems without CryptoKit."),
        // Realms that several hosts share. Off by default, and libpq is then neither looked for
        // nor linked.
        .trait(name: "PostgreSQL", description: "Realms of several hosts, on a PostgreSQL."),
        // The same on object storage. Off by default, and swift-crypto is then neither fetched nor
        // built for it.
        .trait(name: "S3", description: "Realms of several hosts, on S3-compatible storage."),
        // What services expect of a library. Off by default, and none of these packages is then
        // fetched or built.
        .trait(name: "Logging", description: "A monitor that logs by swift-log."),
        .trait(name: "Metrics", description: "A monitor that measures by swift-metrics."),
        .trait(
            name: "Tracing", description: "A monitor that traces by swift-distributed-tracing."),
        .trait(
            name: "ServiceLifecycle",
            description: "A realm as a service of swift-service-lifecycle."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.3.0"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "Storage",
            dependencies: [
                // Seals what is encrypted, and signs requests to object storage.
                .product(
                    name: "Crypto", package: "swift-crypto",
                    condition: withoutCryptoKit(["Encryption", "S3"])),
                // AES-CBC, which Realm encrypted its files with.
                .product(
                    name: "CryptoExtras", package: "swift-crypto",
                    condition: withoutCryptoKit(["Encryption"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        // libpq, which only what the trait adds imports.
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/CPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "RealmActors", dependencies: ["Storage"] + services, swiftSettings: settings),
        // The flights of the quick start, which a benchmark imports as well.
        .target(
            name: "Flights",
            dependencies: ["RealmActors"],
            path: "Documentation/QuickStart/Flights",
            swiftSettings: settings),
        .executableTarget(
            name: "quickstart",
            dependencies: ["Flights", "RealmActors"],
            path: "Documentation/QuickStart",
            exclude: ["Data", "Flights", "postgres"],
            swiftSettings: settings),
        .executableTarget(
            name: "benchmarks",
            dependencies: ["Flights", "RealmActors", "Storage"],
            path: "Benchmarks",
            exclude: ["Peers", "compare"],
            swiftSettings: settings),
        // What crashes a store and judges what is left, for the tests and the campaigns.
        .target(
            name: "StorageHarness", dependencies: ["Storage"], path: "Tests/StorageHarness",
            swiftSettings: settings),
        // Judges the reports of the hosts of a campaign.
        .executableTarget(
            name: "hostchecker", dependencies: ["StorageHarness"], path: "Tests/HostChecker",
            swiftSettings: settings),
        .executableTarget(
            name: "campaigns",
            // The last one is a program that they run: it is built with them.
            dependencies: ["RealmActors", "Storage", "StorageHarness", "hostchecker"],
            path: "Tests/Campaigns",
            swiftSettings: settings),
        .testTarget(
            name: "StorageTests", dependencies: ["Storage", "StorageHarness"],
            exclude: ["RealmFiles/Files"],
            swiftSettings: settings),
        .testTarget(
            name: "RealmActorsTests",
            dependencies: ["Flights", "RealmActors", "Storage", "StorageHarness"] + servicesTests,
            exclude: ["Maintenance/FormerStore"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// A part of the tests, for a build that is optimised or has all traits: files and folders of Tests.
// Without a test of the public API, the engine alone.
if let named = Context.environment["TESTS"] {
    let paths = named.split(whereSeparator: \.isWhitespace)
    for target in package.targets
    where target.type == .test && !paths.contains(Substring(target.name)) {
        let folder = target.name + "/"
        target.sources = paths.filter { $0.hasPrefix(folder) }.map { path in
            String(path.dropFirst(folder.count))
        }
    }
    package.targets.removeAll { $0.type == .test && $0.sources == [] }
    if !package.targets.contains(where: { $0.name == "RealmActorsTests" }) {
        package.products = []
        let kept = ["CPostgreSQL", "Storage", "StorageHarness", "StorageTests"]
        package.targets.removeAll { !kept.contains($0.name) }
    }
}
