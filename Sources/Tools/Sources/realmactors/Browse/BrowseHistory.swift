import Foundation
import Hummingbird
import RealmActors

/// A page of the commits that the log has, the newest first, with the values that they wrote and
/// replaced.
struct BrowseHistory: Encodable {
    struct Commit: Encodable {
        let version: UInt64
        let time: Double
        let author: String?
        let changes: [Change]
    }

    struct Change: Encodable {
        let className: String
        let inserted: Int
        let modified: Int
        let deleted: Int
        let entries: FrozenValue
    }

    let commits: [Commit]
    /// What the page behind it begins below; nil at the end of what the log has.
    let next: UInt64?

    private static let pageSize: UInt64 = 100
    private static let objectLimit = 20

    /// The page below a version, which the request may name. Reads the log from about there.
    init(_ request: Request, _ realm: Realm) async throws {
        let before = request.uri.queryParameters["before"].flatMap { UInt64($0) } ?? .max
        try await self.init(below: min(before, realm.latestVersion.rawValue + 1), realm)
    }

    private init(below end: UInt64, _ realm: Realm) async throws {
        let start = end > Self.pageSize ? end - Self.pageSize - 1 : 0
        var found: [RealmCommit] = []
        var isAtEnd = start == 0
        do {
            let since = realm.changeToken(behind: Realm.Version(rawValue: start))
            found = try await Self.commits(since: start == 0 ? nil : since, below: end, realm)
        } catch RealmError.historyTrimmed {
            isAtEnd = true
            found = try await Self.commits(since: nil, below: end, realm)
        }
        let snapshot = realm.snapshot()
        commits = found.reversed().map { commit in
            Commit(
                version: commit.version.rawValue, time: commit.time.timeIntervalSince1970,
                author: commit.author,
                changes: commit.changes.map { change in
                    Change(
                        className: change.className, inserted: change.insertions.count,
                        modified: change.modifications.count, deleted: change.deletions.count,
                        entries: CommitReport.Change(change, snapshot, limit: Self.objectLimit)
                            .value.cut)
                })
        }
        next = isAtEnd ? nil : start + 1
    }

    private static func commits(
        since token: ChangeToken?, below end: UInt64, _ realm: Realm
    ) async throws -> [RealmCommit] {
        var found: [RealmCommit] = []
        for try await commit in realm.pastCommits(since: token) {
            if commit.version.rawValue >= end { break }
            found.append(commit)
        }
        return found
    }
}

extension FrozenValue {
    /// The value with the beginnings of long texts, and the count of many bytes. Integers that the
    /// numbers of JavaScript do not have are texts.
    fileprivate var cut: FrozenValue {
        switch self {
        case .int(let number) where number.magnitude > 1 << 53: .string("\(number)")
        case .string(let text): .string(text.cut)
        case .data(let data) where data.count > 100: .string("\(data.count) bytes")
        case .list(let values): .list(values.map(\.cut))
        case .dictionary(let entries): .dictionary(entries.mapValues(\.cut))
        case .none, .int, .bool, .float, .double, .date, .data, .object, .uuid, .objectId,
            .decimal128:
            self
        }
    }
}
