import Foundation
import RealmActors
import Testing

/// What a write leaves behind when it throws, is cancelled, changes nothing or is refused.
@Suite struct WriteTests {
    private struct Refusal: Error {}

    @Test("O8: a body that throws is undone while its neighbours commit")
    func aThrowingBodyIsUndoneWhileItsNeighboursCommit() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        do {
                            try await realm.write { tx in
                                try tx.create(
                                    Mark.self, value: ["number": number, "weight": 1])
                                if number % 3 == 0 { throw Refusal() }
                            }
                            #expect(number % 3 != 0)
                        } catch {
                            #expect(error is Refusal)
                        }
                    }
                }
            }
            let numbers = realm.objects(Mark.self).values(of: \.number)
            #expect(numbers.sorted() == (0..<64).filter { $0 % 3 != 0 })
        }
    }

    @Test func cancelLeavesNoTrace() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let version = realm.latestVersion
            let count = try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 1])
                tx.cancel()
                return tx.objects(Mark.self).count
            }
            #expect(count == 0 && realm.objects(Mark.self).isEmpty)
            #expect(realm.latestVersion == version)
        }
    }

    /// References are stored, and come back from files and clients. One with a class below zero
    /// ended the process that looked for an object of any class.
    @Test("T11: a reference whose class is none resolves to nothing")
    func aReferenceThatNamesNoClass() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let mark = try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 1]).reference
            }
            let text = String(decoding: try JSONEncoder().encode(mark), as: UTF8.self)
            for number in [-1, Int.min, 1, Int.max] {
                let changed = text.replacingOccurrences(
                    of: "\"classNumber\":0", with: "\"classNumber\":\(number)")
                #expect(changed != text)
                let reference = try JSONDecoder().decode(
                    ObjectReference<DynamicObject>.self, from: Data(changed.utf8))
                #expect(realm.snapshot().resolve(reference) == nil)
                let isThere = try await realm.write { tx in tx.resolve(reference) != nil }
                #expect(!isThere)
            }
        }
    }

    @Test func whatFollowsCancelIsGivenUpToo() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 1]); return
            }
            try await realm.write { tx in
                let mark = tx.objects(Mark.self)[0]
                tx.cancel()
                mark.weight = 5
                #expect(mark.weight == 0)
            }
            #expect(realm.objects(Mark.self)[0].weight == 0)
        }
    }

    @Test func anEmptyTransactionMakesNoVersion() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let version = realm.latestVersion
            let count = try await realm.write { tx in tx.objects(Mark.self).count }
            #expect(count == 0 && realm.latestVersion == version)
        }
    }

    @Test func aDuplicatePrimaryKeyIsNamed() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 7]) }
            await #expect(throws: RealmError.duplicatePrimaryKey(className: "Mark", key: "7")) {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": 8])
                    _ = try tx.create(Mark.self, value: ["number": 7])
                }
            }
            #expect(realm.objects(Mark.self).count == 1)
        }
    }

    @Test("D9, F4: refused until one is released")
    func tooManyActiveVersionsAreRefusedUntilOneIsLetGo() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.maximumNumberOfActiveVersions = 2
        } _: { realm in
            var held: [Snapshot] = []
            for number in 0..<2 {
                held.append(realm.snapshot(label: "holder \(number)"))
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            do {
                try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
                Issue.record("The write was not refused")
            } catch RealmError.tooManyActiveVersions(let active, let limit, let holders) {
                #expect(active == 3 && limit == 2)
                #expect(holders.first?.contains("holder 0") == true)
            }
            held.removeFirst()
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
            #expect(realm.objects(Mark.self).count == 3 && held.count == 1)
        }
    }

    @Test("D9: a waiting write continues when a version is released")
    func aWaitingWriteGoesOnWhenAVersionIsLetGo() async throws {
        try await withOneActiveVersion([Mark.self]) { realm in
            let holder = Task { [snapshot = realm.snapshot()] in
                while realm.latestVersion == snapshot.version { await Task.yield() }
                try? await Task.sleep(for: .milliseconds(20))
            }
            for number in 0..<2 {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            await holder.value
            #expect(realm.objects(Mark.self).count == 2)
        }
    }

    /// The write kept its turn while it waited, so that closing waited too, and a cancellation was
    /// noticed only when a version was released.
    @Test func aWriteThatWaitsForAVersionKeepsNobodyWaiting() async throws {
        try await withOneActiveVersion([Mark.self]) { realm in
            let held = realm.snapshot()
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 0]) }
            let writes = (0..<2).map { _ in
                Task { try await realm.write { _ in Issue.record("The write ran") } }
            }
            try await Task.sleep(for: .milliseconds(50))
            writes[0].cancel()
            await #expect(throws: CancellationError.self) { try await writes[0].value }
            try await realm.close()
            withExtendedLifetime(held) {}
            await #expect(throws: RealmError.closed) { try await writes[1].value }
            try await realm.reopen()
        }
    }
}
