import RealmActors
import Storage
import Synchronization
import Testing

private final class Cargo: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var mainPart: Cargo?
    @Persisted var parts: List<Cargo>
    @Persisted var kinds: MutableSet<Cargo>
    @Persisted var anything: List<AnyRealmValue>
}

private final class CargoProjection: Projection<Cargo> {
    @Projected(\Cargo.id) var number
}

/// Whether objects are found and are the same, where another process has given the key of a row
/// that was rolled back to a row of its own: the lost object was found as the later one.
@Suite struct ReusedKeyMembershipTests {
    private struct Refusal: Error {}

    /// Creates a cargo with itself among its values, in a write that is rolled back.
    private func rollBack(_ id: Int, in realm: Realm) async throws -> Frozen<Cargo> {
        let found = Mutex<Frozen<Cargo>?>(nil)
        await #expect(throws: Refusal.self) {
            try await realm.write { tx in
                let cargo = try tx.create(Cargo.self, value: ["id": id])
                cargo.anything.append(.object(cargo))
                let frozen = cargo.freeze()
                found.withLock { $0 = frozen }
                throw Refusal()
            }
        }
        return try #require(found.withLock { $0 })
    }

    /// Opens one store as two processes do, and adds cargo 1.
    private func withTwoRealms(
        _ body: (_ own: Realm, _ other: Realm) async throws -> Void
    ) async throws {
        try await SharedFolder.with { folder in
            var realms: [Realm] = []
            for number in 0..<2 {
                realms.append(
                    try await Realm.open(
                        .init(path: folder.name(number), objectTypes: [Cargo.self])))
            }
            try await realms[0].write { tx in _ = try tx.create(Cargo.self, value: ["id": 1]) }
            try await body(realms[0], realms[1])
            for realm in realms { try await realm.close() }
        }
    }

    /// Adds cargo 3 to cargo 1.
    private func addPart(in other: Realm) async throws {
        try await other.write { tx in
            let part = try tx.create(Cargo.self, value: ["id": 3])
            let whole = try #require(tx.object(Cargo.self, forPrimaryKey: 1))
            whole.mainPart = part
            whole.parts.append(part)
            whole.kinds.insert(part)
            whole.anything.append(.object(part))
            whole.anything.append(.fromArray([.object(part)]))
        }
    }

    /// Adds cargo 3 to its own parts.
    private func addPartToItself(in realm: Realm) async throws {
        try await realm.write { tx in
            let part = try #require(tx.object(Cargo.self, forPrimaryKey: 3))
            part.parts.append(part)
        }
    }

    /// Adds cargo 1, rolls cargo 2 back, and adds cargo 3 to cargo 1 in another process.
    private func reuse(
        _ body: (Realm, _ lost: Frozen<Cargo>, _ later: Frozen<Cargo>) async throws -> Void
    ) async throws {
        try await withTwoRealms { own, other in
            let lost = try await rollBack(2, in: own)
            try await addPart(in: other)
            #expect(await own.reaches(other.latestVersion))
            let later = try #require(own.object(Cargo.self, forPrimaryKey: 3))
            // Otherwise nothing can be mistaken.
            #expect(later.reference == lost.reference)
            try await body(own, lost, later)
        }
    }

    @Test("D1: results do not contain an object of a rolled back write that has the key of theirs")
    func results() async throws {
        try await reuse { own, lost, later in
            let all = own.objects(Cargo.self)
            #expect(all.index(of: later) == 1 && all.lastIndex(of: later) == 1)
            #expect(all.index(of: lost) == nil && all.lastIndex(of: lost) == nil)
            let some = all.where { $0.id > 1 }.sorted(by: \.id)
            #expect(some.contains(later) && !some.contains(lost))
            let projections = own.objects(CargoProjection.self)
            #expect(projections.contains(FrozenProjection(projecting: later)))
            #expect(!projections.contains(FrozenProjection(projecting: lost)))
            // What the write showed has its row, and not the later one.
            let shown = lost.snapshot.objects(Cargo.self)
            #expect(shown.index(of: lost) == 1 && shown.index(of: later) == nil)
        }
    }

    @Test("D1: nor do frozen lists and sets")
    func frozenCollections() async throws {
        try await reuse { own, lost, later in
            let whole = try #require(own.object(Cargo.self, forPrimaryKey: 1))
            #expect(whole.parts.index(of: later) == 0 && whole.parts.lastIndex(of: later) == 0)
            #expect(whole.parts.index(of: lost) == nil && whole.parts.lastIndex(of: lost) == nil)
            #expect(whole.kinds.contains(later) && !whole.kinds.contains(lost))
            #expect(whole.kinds.subtracting([lost]).count == 1)
            let (present, former) = (whole.anything[0], lost.anything[0])
            #expect(whole.anything.index(of: present) == 0)
            #expect(whole.anything.index(of: former) == nil)
            #expect(whole.anything.index(of: .list([present])) == 1)
            #expect(whole.anything.index(of: .list([former])) == nil)
        }
    }

    @Test("D1: queries do not find objects that link to the later one by the lost one")
    func queries() async throws {
        try await reuse { own, lost, later in
            let all = own.objects(Cargo.self)
            #expect(all.where { $0.parts.contains(later) }.map(\.id) == [1])
            #expect(all.where { $0.parts.contains(lost) }.isEmpty)
            #expect(all.where { $0.parts.containsAny(in: [later]) }.map(\.id) == [1])
            #expect(all.where { $0.parts.containsAny(in: [lost]) }.isEmpty)
            for property in ["parts", "anything"] {
                let withLater = try all.filter("ANY \(property) == %@", later)
                let withLost = try all.filter("ANY \(property) == %@", lost)
                #expect(withLater.map(\.id) == [1])
                #expect(withLost.isEmpty)
            }
        }
    }

    @Test("D1: nor do queries of links to one object, in any form")
    func queriesOfOneLink() async throws {
        try await reuse { own, lost, later in
            let all = own.objects(Cargo.self)
            #expect(all.where { $0.mainPart == later }.map(\.id) == [1])
            #expect(all.where { $0.mainPart == lost }.isEmpty)
            #expect(all.where { $0.mainPart != later }.map(\.id) == [3])
            #expect(all.where { $0.mainPart != lost }.map(\.id) == [1, 3])
            #expect(all.where { $0.mainPart.in([lost, later]) }.map(\.id) == [1])
            #expect(all.where { $0.mainPart.in([lost]) }.isEmpty)
            #expect(all.where { !($0.mainPart == lost) }.map(\.id) == [1, 3])
            #expect(all.where { !$0.parts.contains(lost) }.map(\.id) == [1, 3])
        }
    }

    /// The accessor is of the live realm that shows the later object.
    @Test("D1: nor does a live object of a cancelled write find it, or resolve to it")
    @MainActor func liveObjects() async throws {
        try await withTwoRealms { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let lost = try live.create(Cargo.self, value: ["id": 2])
            live.cancelWrite()
            try await addPart(in: other)
            #expect(await own.reaches(other.latestVersion))
            live.refresh()
            let later = try #require(live.object(Cargo.self, forPrimaryKey: 3))
            #expect(later.reference == lost.reference && lost.isInvalidated)
            #expect(later.parts.isSame(as: later.parts) && !later.parts.isSame(as: lost.parts))
            let all = live.objects(Cargo.self)
            let (byLater, byLost) = (
                all.where { $0.mainPart == later }, all.where { $0.mainPart == lost }
            )
            #expect(byLater.count == 1 && byLost.isEmpty)
            let (withLater, withLost) = (
                all.where { $0.parts.contains(later) }, all.where { $0.parts.contains(lost) }
            )
            #expect(withLater.count == 1 && withLost.isEmpty)
            #expect(live.resolve(later.reference)?.id == 3)
            #expect(live.resolve(lost.reference) == nil)
        }
    }

    /// The log does not contain such a row, so its key is used again. An accessor that nothing had
    /// read since the deletion became one of the later object.
    @Test("D1: nor does a live object that its own write has deleted")
    @MainActor func deletedLiveObjects() async throws {
        try await withTwoRealms { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let deleted = try live.create(Cargo.self, value: ["id": 2])
            let unread = try #require(live.objects(Cargo.self).last)
            let parts = unread.parts
            try live.delete(deleted)
            try await live.commitWrite()
            try await addPart(in: other)
            try await addPartToItself(in: other)
            #expect(await own.reaches(other.latestVersion))
            live.refresh()
            let later = try #require(live.object(Cargo.self, forPrimaryKey: 3))
            #expect(later.parts.count == 1 && parts.isEmpty)
            let all = live.objects(Cargo.self)
            for lost in [deleted, unread] {
                #expect(lost.isInvalidated && later.reference == lost.reference)
                #expect(!later.isSameObject(as: lost) && all.index(of: lost) == nil)
                let (byLink, byPart) = (
                    all.where { $0.mainPart == lost }, all.where { $0.parts.contains(lost) }
                )
                #expect(byLink.isEmpty && byPart.isEmpty)
                #expect(live.resolve(lost.reference) == nil && own.resolve(lost.freeze()) == nil)
            }
            #expect(all.where { $0.mainPart == later }.count == 1)
            #expect(live.resolve(later.reference)?.id == 3)
        }
    }

    /// Objects that the write has created before the deleted ones, and later ones, stay valid.
    @Test @MainActor func otherObjectsOfSuchAWriteAreValid() async throws {
        try await withTwoRealms { own, _ in
            let live = try await own.live()
            try await live.beginWrite()
            let cargos = try (2...5).map { try live.create(Cargo.self, value: ["id": $0]) }
            try live.delete([cargos[0], cargos[2], cargos[3]])
            try await live.commitWrite()
            let later = try await live.write { try live.create(Cargo.self, value: ["id": 6]) }
            #expect(cargos.map(\.isInvalidated) == [true, false, true, true])
            #expect(!later.isInvalidated && later.id == 6 && cargos[1].id == 3)
            #expect(live.resolve(later.reference)?.id == 6)
            #expect(live.resolve(cargos[1].reference)?.id == 3)
        }
    }

    /// It was frozen in a version in which its key belongs to the later object, and was taken for
    /// that one: deleting it deleted the later one.
    @Test("D1: nor does what is frozen after the write was cancelled belong to it")
    @MainActor func frozenAfterwards() async throws {
        try await withTwoRealms { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let object = try live.create(Cargo.self, value: ["id": 2])
            live.cancelWrite()
            let early = object.freeze()
            try await addPart(in: other)
            try await addPartToItself(in: other)
            #expect(await own.reaches(other.latestVersion))
            live.refresh()
            let later = try #require(live.object(Cargo.self, forPrimaryKey: 3)).freeze()
            let lost = object.freeze()
            #expect(lost.reference == later.reference && lost != later)
            #expect(lost == object.freeze() && isSame(early, lost))
            #expect(!isSame(lost, later) && !isSame(later, lost))
            let hasPartsOfLater = lost.withObject { lost in
                later.withObject { lost.parts == $0.parts || lost.parts.isSame(as: $0.parts) }
            }
            #expect(!hasPartsOfLater)
            for all in [own.objects(Cargo.self), lost.snapshot.objects(Cargo.self)] {
                #expect(all.index(of: later) == 1 && all.index(of: lost) == nil)
                #expect(all.where { $0.parts.contains(lost) }.isEmpty)
            }
            let whole = try #require(own.object(Cargo.self, forPrimaryKey: 1))
            #expect(whole.parts.index(of: later) == 0 && whole.parts.index(of: lost) == nil)
            #expect(own.resolve(lost) == nil && own.resolve(lost.reference) == nil)
            #expect(later.parts.sorted(by: \.id).count == 1 && lost.parts.sorted(by: \.id).isEmpty)
            try await own.write { tx in
                try tx.delete(lost)
                #expect(tx.objects(Cargo.self).count == 2)
            }
        }
    }

    @Test("D1: nor do streams of what is frozen after the write was cancelled follow it")
    @MainActor func streamsAfterwards() async throws {
        try await withTwoRealms { own, other in
            let live = try await own.live()
            try await live.beginWrite()
            let object = try live.create(Cargo.self, value: ["id": 2])
            live.cancelWrite()
            try await addPart(in: other)
            #expect(await own.reaches(other.latestVersion))
            live.refresh()
            let lost = object.freeze()
            #expect(own.object(Cargo.self, forPrimaryKey: 3)?.reference == lost.reference)
            var parts = lost.parts.changes().makeAsyncIterator()
            #expect(try await parts.next() == nil)
            var sorted = lost.parts.sorted(by: \.id).changes().makeAsyncIterator()
            #expect(try await sorted.next() == nil)
            var changes = lost.changes().makeAsyncIterator()
            // The stream of the later object would only have this one.
            try await other.write { tx in
                let part = try #require(tx.object(Cargo.self, forPrimaryKey: 3))
                part.mainPart = part
            }
            let change = try await changes.next()
            guard case .deleted? = change else {
                Issue.record("The object is deleted: \(String(describing: change))")
                return
            }
        }
    }

    /// They had the parts of the later object.
    @Test("D1: results of its list are empty when they are thawed")
    @MainActor func thawedResults() async throws {
        try await reuse { own, lost, later in
            try await addPartToItself(in: own)
            let live = try await own.live()
            let ofLater = try #require(later.parts.sorted(by: \.id).thaw(in: live))
            let ofLost = try #require(lost.parts.sorted(by: \.id).thaw(in: live))
            #expect(ofLater.count == 1 && ofLost.isEmpty)
            try await own.write { tx in
                try tx.delete(#require(tx.object(Cargo.self, forPrimaryKey: 3)))
            }
            live.refresh()
            #expect(ofLater.isEmpty && ofLost.isEmpty)
        }
    }

    /// Nothing had read them before, so that they followed the later object.
    @Test("D1: also results of its list that were thawed before the later object was there")
    @MainActor func earlyThawedResults() async throws {
        try await withTwoRealms { own, other in
            let lost = try await rollBack(2, in: own)
            let live = try await own.live()
            let parts = try #require(lost.parts.sorted(by: \.id).thaw(in: live))
            try await addPart(in: other)
            try await addPartToItself(in: other)
            #expect(await own.reaches(other.latestVersion))
            live.refresh()
            let later = try #require(live.object(Cargo.self, forPrimaryKey: 3))
            // Otherwise nothing can be mistaken.
            #expect(later.reference == lost.reference)
            #expect(later.parts.count == 1 && parts.isEmpty)
        }
    }

    /// Each query allocated memory for the schema that it is bound with, in every store.
    @Test func theSchemaOfAQueryIsSmallEnoughForAnExistential() {
        #expect(MemoryLayout<ModelQuerySchema>.size <= 3 * MemoryLayout<Int>.size)
    }

    @Test("D1: it is not the same object, neither frozen nor live")
    func sameness() async throws {
        try await reuse { own, lost, later in
            let again = try #require(own.object(Cargo.self, forPrimaryKey: 3))
            #expect(isSame(again, later) && isSame(lost, lost))
            #expect(!isSame(lost, later) && !isSame(later, lost))
            try await own.write { tx in
                let part = try #require(tx.object(Cargo.self, forPrimaryKey: 3))
                let isLater = later.withObject { part.isSameObject(as: $0) }
                let isLost = lost.withObject { part.isSameObject(as: $0) }
                let isOfLost = lost.withObject { $0.isSameObject(as: part) }
                #expect(isLater && !isLost && !isOfLost)
            }
        }
    }

    private func isSame(_ a: Frozen<Cargo>, _ b: Frozen<Cargo>) -> Bool {
        a.withObject { object in b.withObject { object.isSameObject(as: $0) } }
    }

    @Test("D1: live lists and sets do not contain it, nor is another object removed for it")
    func liveCollections() async throws {
        try await reuse { own, lost, later in
            try await own.write { tx in
                let whole = try #require(tx.object(Cargo.self, forPrimaryKey: 1))
                #expect(later.withObject { whole.parts.index(of: $0) } == 0)
                #expect(lost.withObject { whole.parts.index(of: $0) } == nil)
                #expect(lost.withObject { whole.parts.lastIndex(of: $0) } == nil)
                #expect(lost.withObject { whole.anything.index(of: .object($0)) } == nil)
                let removedLost = lost.withObject { whole.kinds.remove($0) }
                #expect(!removedLost && whole.kinds.count == 1)
                let removedLater = later.withObject { whole.kinds.remove($0) }
                #expect(removedLater && whole.kinds.isEmpty)
            }
        }
    }
}
