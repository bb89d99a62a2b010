import Storage
import Testing

@testable import RealmActors

/// `pastCommits(since:)`, which ends.
@Suite struct PastCommitsTests {
    private func versions(
        _ realm: Realm, since token: ChangeToken? = nil
    ) async throws -> [Realm.Version] {
        try await realm.collectedPastCommits(since: token).map(\.version)
    }

    @Test("O12: what the log has is delivered, and then the end")
    func whatTheLogHasIsDelivered() async throws {
        try await withFreshRealm(historyTypes) { realm in
            // The commit that made the classes changed nothing.
            #expect(try await versions(realm).isEmpty)
            try await realm.addDog(1)
            let (first, token) = (realm.latestVersion, realm.snapshot().changeToken)
            try await realm.addDog(2)
            let second = realm.latestVersion
            #expect(try await versions(realm) == [first, second])
            #expect(try await versions(realm, since: token) == [second])
            let latest = realm.snapshot().changeToken
            #expect(try await versions(realm, since: latest).isEmpty)
        }
    }

    @Test("O12: without a token it begins with the oldest commit that is left")
    func itBeginsWithTheOldestCommitThatIsLeft() async throws {
        try await withFreshRealm(historyTypes, shortenLog) { realm in
            let token = realm.snapshot().changeToken
            for id in 0..<200 {
                try await realm.addDog(id, String(repeating: "y", count: 100))
            }
            try await realm.close()
            try await realm.reopen()
            await #expect(throws: RealmError.self) { try await versions(realm, since: token) }
            try await realm.addDog(1000)
            let left = try await versions(realm)
            #expect(left.count < 200 && left.last == realm.latestVersion)
            #expect(left == left.sorted())
        }
    }

    /// It continued while others wrote: a loop over it that writes never ended.
    @Test("O12: what is committed later is not among them")
    func whatIsCommittedLaterIsNotAmongThem() async throws {
        try await withFreshRealm(historyTypes) { realm in
            for id in 0..<3 { try await realm.addDog(id) }
            var count = 0
            for try await _ in realm.pastCommits() {
                count += 1
                if count > 9 { break }
                try await realm.addDog(100 + count)
            }
            #expect(count == 3)
            var past = realm.pastCommits().makeAsyncIterator()
            try await realm.addDog(200)
            let last = try await take(10, &past).last
            #expect(last.map { $0.version < realm.latestVersion } == true)
        }
    }

    /// Behind the oldest commit the log cannot be read where an opening has added a class since. It
    /// threw that the history was trimmed, although there were commits behind that opening.
    @Test("O12: without a token it begins behind the last opening that has added classes")
    func itBeginsBehindTheLastOpeningThatHasAddedClasses() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(
                path: path, objectTypes: [HistoryDog.self], writeTimeout: nil)
            var realm = try await Realm.open(configuration)
            try await realm.addDog(1)
            // The log starts over.
            try await realm.compact()
            try await realm.close()
            configuration.history = .keep(bytes: 1 << 20)
            realm = try await Realm.open(configuration)
            try await realm.addDog(2)
            try await realm.close()
            configuration.objectTypes = historyTypes
            realm = try await Realm.open(configuration)
            for id in 3...4 { try await realm.addDog(id) }
            let left = try await versions(realm)
            #expect(left.last == realm.latestVersion)
            try await realm.close()
        }
    }

    /// It named the greatest version that there can be.
    @Test func anErrorNamesNoVersionWhereNoneIsKnown() {
        let error = RealmError(HistoryError.trimmed(oldest: .max))
        #expect(error == .historyTrimmed(oldest: nil))
    }

    /// They have versions, and no log that made them.
    @Test func aCopyHasNoneYet() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1)
            try await withStorePath { path in
                try await realm.writeCopy(to: path)
                let copy = try await Realm.open(
                    .init(path: path, readOnly: true, usesStoredSchema: true))
                #expect(try await versions(copy).isEmpty)
                let begin = copy.changeToken(behind: Realm.Version(rawValue: 0))
                _ = try? await versions(copy, since: begin)
                try await copy.close()
            }
        }
    }
}
