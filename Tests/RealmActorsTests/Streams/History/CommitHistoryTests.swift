import Foundation
import RealmActors
import Storage
import Testing

@Suite struct CommitHistoryTests {
    @Test func everyCommitArrivesWithItsAuthorTimeAndChanges() async throws {
        try await withFreshRealm(historyTypes) { realm in
            var commits = realm.commits().makeAsyncIterator()
            let start = Date()
            let rex = try await realm.addDog(1, "Rex", age: 3)
            try await realm.editDog(1, author: "me") { dog in
                dog.name = "Max"
                dog.friend = dog
                dog.tags.append("good")
            }
            try await realm.write(author: "you") { tx in
                try tx.create(HistoryCat.self, value: ["name": "Tom"])
                try tx.delete(#require(tx.resolve(rex)))
            }
            let taken = try await take(3, &commits)
            #expect(taken.map(\.author) == [nil, "me", "you"])
            #expect(taken.allSatisfy { $0.time >= start.addingTimeInterval(-1) && $0.hasValues })
            #expect(taken.map(\.version).sorted() == taken.map(\.version))
            #expect(taken.last?.token == realm.snapshot().changeToken)

            let inserted = try #require(taken[0].insertions(of: HistoryDog.self).first)
            #expect(inserted.reference == rex.reference)
            #expect(inserted.values["name"] == .value(.string("Rex")))
            #expect(inserted.values["age"] == .value(.int(3)))
            #expect(inserted.values["friend"] == .value(.none))
            #expect(inserted.values["tags"] == .list([]))
            #expect(taken[0].changes(of: HistoryCat.self) == nil)

            let modified = try #require(taken[1].modifications(of: HistoryDog.self).first)
            #expect(modified.propertyNames == ["name", "friend", "tags"])
            #expect(modified.newValues["name"]?.frozen == "Max")
            guard case .object(let friend)? = modified.newValues["friend"] else {
                Issue.record("expected a link")
                return
            }
            #expect(friend.description.hasSuffix(rex.reference.description.suffix(2)))
            #expect(modified.newValues["tags"] == nil)

            #expect(Set(taken[2].classNames) == ["HistoryDog", "HistoryCat"])
            let deleted = taken[2].deletions(of: HistoryDog.self)
            #expect(deleted.map(\.reference) == [rex.reference])
            #expect(taken[2].changes.reduce(0) { $0 + $1.insertions.count } == 1)
        }
    }

    @Test func commitsAreNeverMergedForASlowConsumer() async throws {
        try await withFreshRealm(historyTypes) { realm in
            var commits = realm.commits().makeAsyncIterator()
            try await realm.addDog(1)
            for age in 0..<500 { try await realm.editDog(1) { $0.age = age } }
            let taken = try await take(501, &commits)
            let ages = taken.dropFirst().compactMap {
                $0.modifications(of: HistoryDog.self).first?.newValues["age"]?.frozen
            }
            #expect(ages == (0..<500).map { .int($0) })
        }
    }

    @Test func aWaitingConsumerHoldsNoVersionAndIsWokenByTheNextCommit() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let start = realm.snapshot().changeToken
            try await realm.addDog(1)
            let waiting = Task {
                var commits = realm.commits(since: start).makeAsyncIterator()
                return try await take(2, &commits).last?.author
            }
            try await realm.editDog(1, author: "later") { $0.age = 1 }
            #expect(try await waiting.value == "later")
            #expect(realm.activeVersions.count == 1)
        }
    }

    @Test func cancellingAndClosingEndTheStream() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let waiting = Task {
                var count = 0
                for try await _ in realm.commits() { count += 1 }
                return count
            }
            waiting.cancel()
            #expect(try await waiting.value == 0)
            var commits = realm.commits().makeAsyncIterator()
            try await realm.addDog(1)
            try await realm.close()
            // What became durable before the close is delivered before the end.
            #expect(try await take(5, &commits).count == 1)
        }
    }

    /// A further request waited indefinitely.
    @Test func afterAnErrorTheStreamHasEnded() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let token = try await withFreshRealm(historyTypes) { $0.snapshot().changeToken }
            let isOver = await comesToAnEnd { () async throws in
                var commits = realm.commits(since: token).makeAsyncIterator()
                await #expect(throws: RealmError.self) { try await commits.next() }
                #expect(try await commits.next() == nil)
            }
            #expect(isOver)
        }
    }

    @Test("O3: history continues after a restart, with no commit lost or repeated")
    func historyContinuesAfterARestartWithNothingLostAndNothingTwice() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: historyTypes, writeTimeout: nil,
                history: .keep(bytes: 64 << 20))
            var token: ChangeToken
            do {
                let realm = try await Realm.open(configuration)
                token = realm.snapshot().changeToken
                for id in 0..<10 { try await realm.addDog(id) }
                var commits = realm.commits(since: token).makeAsyncIterator()
                token = try #require(try await take(4, &commits).last?.token)
                try await realm.close()
            }
            let stored = try JSONEncoder().encode(token)
            token = try JSONDecoder().decode(ChangeToken.self, from: stored)
            let realm = try await Realm.open(configuration)
            var commits = realm.commits(since: token).makeAsyncIterator()
            let old = try await take(6, &commits)
            #expect(Self.ids(old) == [4, 5, 6, 7, 8, 9])
            try await realm.addDog(10)
            let more = try await take(1, &commits)
            #expect(Self.ids(more) == [10])
            try await realm.close()
        }
    }

    private static func ids(_ commits: [RealmCommit]) -> [Int] {
        commits.flatMap { $0.insertions(of: HistoryDog.self) }.compactMap {
            if case .int(let id)? = $0.values["id"]?.frozen { id } else { nil }
        }
    }

    @Test func aLargeCommitIsDeliveredWithoutValues() async throws {
        let configure: (inout Realm.Configuration) -> Void = {
            $0.logOptions.pageCommitBytes = 16 << 10
        }
        try await withFreshRealm(historyTypes, configure) { realm in
            var commits = realm.commits().makeAsyncIterator()
            try await realm.write { tx in
                for id in 0..<2000 {
                    let name = String(repeating: "x", count: 40)
                    try tx.create(HistoryDog.self, value: ["id": id, "name": name])
                }
            }
            try await realm.write { tx in
                for dog in tx.objects(HistoryDog.self) { dog.name = String(dog.name.reversed()) }
            }
            let taken = try await take(2, &commits)
            #expect(!taken[0].hasValues)
            #expect(taken[0].insertions(of: HistoryDog.self).count == 2000)
            #expect(taken[1].modifications(of: HistoryDog.self).count == 2000)
            #expect(
                taken[1].modifications(of: HistoryDog.self).allSatisfy {
                    $0.propertyNames == ["name"]
                })
        }
    }
}

@Suite struct ChangeTokenTests {
    @Test("O3: a token behind the kept history says how to start over")
    func aTrimmedTokenSaysHowToStartOver() async throws {
        try await withFreshRealm(historyTypes, shortenLog) { realm in
            let token = realm.snapshot().changeToken
            for id in 0..<200 {
                try await realm.addDog(id, String(repeating: "y", count: 100))
            }
            try await realm.close()
            try await realm.reopen()
            var commits = realm.commits(since: token).makeAsyncIterator()
            let error = await #expect(throws: RealmError.self) { try await commits.next() }
            guard case .historyTrimmed(let oldest?)? = error else {
                Issue.record("expected a trimmed history, not \(String(describing: error))")
                return
            }
            #expect(oldest > token.version)
            #expect(error?.description.contains("Start over") == true)
        }
    }

    @Test func aTokenOfAnotherStoreOrFromTheFutureIsRefused() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await withFreshRealm(historyTypes) { other in
                try await other.addDog(1)
                var commits = realm.commits(since: other.snapshot().changeToken)
                    .makeAsyncIterator()
                let error = await #expect(throws: RealmError.self) { try await commits.next() }
                #expect(error?.description.contains("another store") == true)
            }
            let json = try JSONEncoder().encode(realm.snapshot().changeToken)
            var fields = try #require(
                try JSONSerialization.jsonObject(with: json) as? [String: Any])
            fields["version"] = ["rawValue": 99]
            let future = try JSONDecoder().decode(
                ChangeToken.self, from: JSONSerialization.data(withJSONObject: fields))
            var commits = realm.commits(since: future).makeAsyncIterator()
            let error = await #expect(throws: RealmError.self) { try await commits.next() }
            #expect(error?.description.contains("newest version") == true)
        }
    }

    @Test func aRealmInMemoryHasNoHistory() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: "history-\(UUID())", objectTypes: historyTypes,
                writeTimeout: nil))
        var commits = realm.commits().makeAsyncIterator()
        let error = await #expect(throws: RealmError.self) { try await commits.next() }
        #expect(error?.description.contains("in memory") == true)
    }
}
