// swift-tools-version: 6.2
import PackageDescription

// The databases that RealmActors is compared with, on the same data and the same workloads. A
// package of its own, so that the library's package needs none of them.
//
// It needs the headers of SQLite and LMDB:
//   Debian, Ubuntu   apt-get install libsqlite3-dev liblmdb-dev
//   macOS            brew install sqlite lmdb
// Benchmarks/compare says so when they are missing.

// The same language features as the package around this one, save MemberImportVisibility:
// beside these libraries the compiler takes the structures of the C library for another module's.
var settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// Continuous integration treats every warning as an error; a user's build never does.
if Context.environment["CI"] != nil {
    settings.append(.treatAllWarnings(as: .error))
}

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            path: "Libraries/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CLMDB",
            path: "Libraries/CLMDB",
            pkgConfig: "lmdb",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        // Sources/Shared is a link to the data set and the harness of the benchmark itself.
        .executableTarget(
            name: "peers",
            dependencies: [
                "CSQLite", "CLMDB", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Sources",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
