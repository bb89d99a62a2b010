import ArgumentParser
import Foundation
import RealmActors

/// Which version of a store a command reads.
struct PastOptions: ParsableArguments {
    @Option(
        help: """
            Read a past version: its number, or a date such as 2026-01-31T12:00:00Z. The log must \
            have the commits since then, with old values.
            """)
    var asOf: String?

    /// The version; the newest where none is named.
    func snapshot(of realm: Realm, label: String? = nil) async throws -> Snapshot {
        guard let asOf else { return realm.snapshot(label: label) }
        if let number = UInt64(asOf) {
            return try await realm.snapshot(asOf: Realm.Version(rawValue: number), label: label)
        }
        guard let date = DateText.date(asOf) else {
            throw ToolError(
                .badInput,
                "'\(asOf)' is neither a version number nor a date such as 2026-01-31T12:00:00Z.")
        }
        return try await realm.snapshot(asOf: date, label: label)
    }
}
