import Foundation
import Storage
import Synchronization
import Testing

@testable import RealmActors

/// Writes of live realms, on the main actor.
@Suite @MainActor struct LiveWriteTests {
    @Test("T8: writes run in the order of their arrival")
    func writesRunInTheOrderOfTheirArrival() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.writeTimeout = nil
        } _: { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        try await realm.write { tx in
                            let count = tx.objects(Mark.self).count
                            try tx.create(
                                Mark.self, value: ["number": number, "weight": count])
                        }
                    }
                    // It stands in the queue before the next one comes.
                    while realm.store.writer.turns.waiterCount <= number { await Task.yield() }
                }
                try await live.commitWrite()
                try await group.waitForAll()
            }
            let marks = realm.objects(Mark.self)
            #expect(marks.values(of: \.number) == Array(0..<12))
            #expect(marks.values(of: \.weight) == Array(0..<12))
        }
    }

    @Test func aWriteThatWaitsTooLongSaysWhoIsBusy() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.writeTimeout = .milliseconds(50)
        } _: { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            await #expect {
                try await realm.write { tx in _ = try tx.create(Mark.self) }
            } throws: { error in
                isBusy(error, "a live realm, for ")
            }
            try live.create(Mark.self, value: ["number": 1])
            try await live.commitWrite()
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
            #expect(realm.objects(Mark.self).values(of: \.number) == [1, 2])
        }
    }

    @Test func anOpenWriteTakesNoSecondOne() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            await #expect(throws: RealmError.alreadyWriting) { try await live.beginWrite() }
            await #expect(throws: RealmError.alreadyWriting) { try await live.write {} }
            live.cancelWrite()
            await #expect(throws: RealmError.notInWriteTransaction) {
                try await live.commitWrite()
            }
        }
    }

    /// It trapped, as an assignment does, which cannot throw.
    @Test("P8: setting a property by name outside a write throws")
    func settingByNameOutsideAWriteThrows() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            let mark = try await live.write { try live.create(Mark.self, value: ["number": 1]) }
            #expect(throws: RealmError.notInWriteTransaction) {
                try mark.setValue(2, forKey: "weight")
            }
            let marks = live.objects(Mark.self)
            #expect(throws: RealmError.notInWriteTransaction) {
                try marks.setValue(2, forKey: "weight")
            }
            try await live.beginWrite()
            try mark.setValue(3, forKey: "weight")
            try await live.commitWrite()
            #expect(mark.weight == 3)
        }
    }

    @Test("T4: a live realm dropped in its write rolls back")
    func aLiveRealmDroppedInItsWriteRollsBack() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            do {
                let live = try await realm.live()
                try await live.beginWrite()
                try live.create(Mark.self, value: ["number": 1])
            }
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
            #expect(realm.objects(Mark.self).values(of: \.number) == [2])
        }
    }

    @Test("D1: cancelWrite invalidates what it touched")
    func cancelWriteInvalidatesWhatItTouched() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            let kept = try await live.write {
                try live.create(Mark.self, value: ["number": 1, "weight": 3])
            }
            try await live.beginWrite()
            let added = try live.create(Mark.self, value: ["number": 2])
            try live.delete(kept)
            live.cancelWrite()
            #expect(added.isInvalidated && kept.isInvalidated && !live.isInWriteTransaction)
            #expect(live.object(Mark.self, forPrimaryKey: 1)?.weight == 3)
            #expect(live.object(Mark.self, forPrimaryKey: 2) == nil)
        }
    }

    @Test("D5, T7: invalidating empties results and ends the write")
    func invalidatingEmptiesAndEndsTheWrite() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            let mark = try await live.write { try live.create(Mark.self, value: ["number": 1]) }
            let results = live.objects(Mark.self)
            try await live.beginWrite()
            mark.weight = 9
            live.invalidate()
            #expect(mark.isInvalidated && results.isInvalidated && results.isEmpty)
            #expect(!live.isInWriteTransaction)
            #expect(live.refresh() && live.objects(Mark.self).first?.weight == 0)
        }
    }

    @Test("D8: what is frozen inside a write may leave it")
    func freezeInsideAWriteMayLeaveIt() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            try await live.beginWrite()
            let mark = try live.create(Mark.self, value: ["number": 1, "weight": 1])
            let frozen = live.freeze()
            mark.weight = 2
            try await live.commitWrite()
            #expect(frozen.objects(Mark.self).values(of: \.weight) == [1])
            #expect(mark.weight == 2 && realm.objects(Mark.self)[0].weight == 2)
        }
    }

    @Test("D4, F5, T11: thawing brings the realm up to the object")
    func thawBringsTheRealmUpToTheObject() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let frozen = try await realm.write { tx in
                try tx.create(Mark.self, value: ["number": 1]).freeze()
            }
            #expect(live.object(Mark.self, forPrimaryKey: 1) == nil)
            #expect(frozen.thaw(in: live)?.number == 1)
            #expect(live.resolve(frozen.reference)?.number == 1)
            try await realm.write { tx in try tx.deleteAll(Mark.self) }
            live.refresh()
            #expect(frozen.thaw(in: live) == nil && live.resolve(frozen.reference) == nil)
            #expect(realm.resolve(frozen) == nil && frozen.number == 1)
        }
    }

    /// The realm showed its commit while that was on its way to the disk, and gave it to others.
    @Test func nothingIsShownBeforeItIsDurable() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            for number in 0..<20 {
                let watch = Task { @MainActor in
                    for _ in 0..<100 {
                        if !live.isInWriteTransaction {
                            let shown = live.freeze().version
                            #expect(shown <= realm.latestVersion)
                        }
                        await Task.yield()
                    }
                }
                let mark = Mark()
                mark.number = number
                let look = Task { @MainActor in mark.isInvalidated }
                try await live.write { try live.add(mark) }
                #expect(live.objects(Mark.self).count == number + 1)
                #expect(mark.number == number && !mark.isInvalidated)
                #expect(await look.value == false)
                await watch.value
            }
        }
    }
}
