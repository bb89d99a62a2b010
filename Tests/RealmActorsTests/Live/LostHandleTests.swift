import Foundation
import Testing

@testable import RealmActors

/// What is held of an object that another writer deleted, or of a realm that was invalidated: every
/// member answers with a typed error, with nothing, or with what was last seen, and none traps.
///
/// `Array(list)` ended the process when the list's object was deleted between counting and reading,
/// and so did `freeze()` and `changes()` of everything that belonged to such an object. Each kind
/// of handle meets each way of losing its object here, read before and not.
@Suite @MainActor struct LostHandleTests {
    /// How the object of the handles is lost.
    enum Loss: String, CaseIterable, CustomTestStringConvertible {
        case deletedByAnother, deletedWithEverything, deletedHere, givenUp, invalidated
        var testDescription: String { rawValue }
    }

    /// Everything that can be held of one host.
    struct Handles {
        let host: Host
        let room: Room
        let guest: Guest
        let projection: HostProjection
        let numbers: List<Int>
        let guests: List<Guest>
        let rooms: List<Room>
        let notes: List<AnyRealmValue>
        let tags: MutableSet<String>
        let regulars: MutableSet<Guest>
        let prices: Map<String, Int>
        let seats: Map<String, Guest?>
        let noteMap: Map<String, AnyRealmValue>
        let owners: LinkingObjects<Guest>
        let innerList: List<AnyRealmValue>
        let innerMap: Map<String, AnyRealmValue>
        let deepList: List<AnyRealmValue>
        let results: Results<Host>
        let sections: SectionedResults<String, Host>
        let section: ResultsSection<String, Host>
        let projections: ProjectionResults<HostProjection>

        @MainActor
        init(_ live: LiveRealm, _ host: Host) throws {
            self.host = host
            room = try #require(host.cellar)
            guest = try #require(host.cook)
            projection = HostProjection(projecting: host)
            numbers = host.numbers
            guests = host.guests
            rooms = host.rooms
            notes = host.notes
            tags = host.tags
            regulars = host.regulars
            prices = host.prices
            seats = host.seats
            noteMap = host.noteMap
            owners = host.owners
            let note = try #require(host.note.dictionaryValue)
            innerList = try #require(note["list"]?.listValue)
            innerMap = try #require(note["map"]?.dictionaryValue)
            deepList = try #require(host.noteMap["list"]?.listValue)
            results = live.objects(Host.self).where { $0.key == 1 }
            sections = results.sectioned(by: \.name)
            section = try #require(sections.first)
            projections = ProjectionResults(projecting: results)
        }

        /// Reads only counts.
        func count() {
            _ = (numbers.count, guests.count, rooms.count, notes.count, tags.count)
            _ = (regulars.count, prices.count, seats.count, noteMap.count, owners.count)
            _ = (innerList.count, innerMap.count, deepList.count, results.count, sections.count)
            _ = (host.name, room.number, guest.name, projection.title)
        }
    }

    /// Makes a host and loses it.
    private func lose(
        _ loss: Loss, readBefore: Bool, _ body: (LiveRealm, Handles) async throws -> Void
    ) async throws {
        try await withFreshRealm(hostTypes) { realm in
            let live = try await realm.live()
            live.autorefresh = false
            var made: Host?
            if loss == .givenUp {
                try await live.beginWrite()
                made = try live.makeHost(1)
            } else {
                try await realm.write { tx in _ = try tx.makeHost(1) }
                live.refresh()
            }
            let host = try #require(made ?? live.object(Host.self, forPrimaryKey: 1))
            let handles = try Handles(live, host)
            if readBefore { handles.count() }
            switch loss {
            case .deletedByAnother:
                try await realm.write { tx in
                    try tx.delete(try #require(tx.object(Host.self, forPrimaryKey: 1)))
                    try tx.delete(try #require(tx.object(Guest.self, forPrimaryKey: 11)))
                }
                live.refresh()
            case .deletedWithEverything:
                try await realm.write { tx in try tx.deleteAll() }
                live.refresh()
            case .deletedHere: try await live.write { try live.delete(host) }
            case .givenUp: live.cancelWrite()
            case .invalidated: live.invalidate()
            }
            try await body(live, handles)
        }
    }

    private func read<C: RandomAccessCollection>(_ collection: C) where C.Index == Int {
        let all = Array(collection)
        #expect(all.count == collection.count && collection.isEmpty == all.isEmpty)
        #expect(
            collection.map { $0 }.count == all.count && collection.reversed().count == all.count)
        for position in collection.indices { _ = collection[position] }
        _ = (collection.first, collection.last, "\(collection)")
    }

    private func read<Value>(_ map: Map<String, Value>) {
        let all = Array(map)
        #expect(all.count == map.count && map.isEmpty == all.isEmpty)
        #expect(map.keys.count == map.count && map.values.count == map.count)
        for key in map.keys { _ = (map[key], map.contains(key: key)) }
        _ = "\(map)"
    }

    @Test("Reading", arguments: Loss.allCases, [false, true])
    func reading(_ loss: Loss, _ readBefore: Bool) async throws {
        try await lose(loss, readBefore: readBefore) { live, held in
            read(held.numbers)
            read(held.guests)
            read(held.rooms)
            read(held.notes)
            read(held.tags)
            read(held.regulars)
            read(held.prices)
            read(held.seats)
            read(held.noteMap)
            read(held.owners)
            read(held.innerList)
            read(held.innerMap)
            read(held.deepList)
            read(held.results)
            read(held.sections)
            read(held.section)
            read(held.projections)
            read(held.projection.names)
            #expect(held.host.isInvalidated && held.projection.isInvalidated)
            #expect(held.numbers.isInvalidated && held.owners.isInvalidated)
            #expect(held.innerList.isInvalidated && held.host.realm == nil)
            #expect(held.owners.isEmpty && held.results.isEmpty && held.sections.isEmpty)
            _ = (held.host.description, held.room.description, held.projection.description)
            _ = (held.host.reference, held.host.hashValue, held.host == held.host)
            _ = (held.host.note, held.host.cook?.name, held.host.cellar?.number)
            for property in ["name", "guests", "owners", "note", "cellar"] {
                _ = try held.host.value(forName: property)
            }
            _ = (held.numbers.sum(), held.prices.max(), held.guests.min(of: \.key))
            _ = (held.numbers.contains(1), held.guests.index(of: held.guest))
            #expect(held.guests.where { $0.key > 0 }.isEmpty)
            #expect(held.owners.sorted(by: \.key).isEmpty)
            _ = (held.guests.projectTo.name.map { $0 }, held.guests.name)
            // Asked anew, everything is there or not as the store has it.
            _ = live.objects(Host.self).map(\.name)
        }
    }

    @Test("Freezing", arguments: Loss.allCases, [false, true])
    func freezing(_ loss: Loss, _ readBefore: Bool) async throws {
        try await lose(loss, readBefore: readBefore) { live, held in
            let host = held.host.freeze()
            _ = (host.name, host.cook?.name, host.cellar?.number, host.note, host.snapshot.version)
            read(host.guests)
            read(host.rooms)
            for guest in host.guests { _ = (guest.name, guest.reference, guest.snapshot) }
            if loss == .deletedByAnother { #expect(host.name == "Inn" && host.key == 1) }
            #expect(held.projection.freeze().numbers.count == held.projection.numbers.count)
            read(held.projection.freeze().names)
            read(held.numbers.freeze())
            read(held.guests.freeze())
            read(held.rooms.freeze())
            read(held.notes.freeze())
            read(held.tags.freeze())
            read(held.regulars.freeze())
            read(held.prices.freeze())
            read(held.seats.freeze())
            read(held.noteMap.freeze())
            read(held.innerList.freeze())
            read(held.innerMap.freeze())
            read(held.deepList.freeze())
            #expect(held.owners.freeze().isEmpty && held.results.freeze().isEmpty)
            #expect(held.sections.freeze().isEmpty && held.section.freeze().isEmpty)
            #expect(held.projections.freeze().isEmpty)
            #expect(held.numbers.freeze().count == held.numbers.count)
            if loss != .invalidated {
                #expect(held.numbers.freeze().thaw(in: live) == nil)
                #expect(held.innerList.freeze().thaw(in: live) == nil)
                #expect(held.innerMap.freeze().thaw(in: live) == nil)
                #expect(host.thaw(in: live) == nil)
            }
        }
    }

    /// What comes first of a stream, within a time that is long enough for anything but a stream
    /// that says nothing.
    private func first<S: AsyncSequence & Sendable>(
        _ stream: S
    ) async -> Result<S.Element?, any Error> where S.Element: Sendable {
        await withTaskGroup(of: Result<S.Element?, any Error>?.self) { group in
            group.addTask {
                do {
                    var iterator = stream.makeAsyncIterator()
                    return .success(try await iterator.next(isolation: nil))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap { $0 } ?? .failure(Silence())
        }
    }

    private struct Silence: Error {}

    /// The stream ends at once or begins with nothing; of an invalidated realm it throws.
    private func expectEnd<C: ObservedCollection & Collection>(
        of stream: CollectionChanges<C>, _ loss: Loss, _ name: String
    ) async {
        switch await first(stream) {
        case .success(nil): #expect(loss != .invalidated, "\(name)")
        case .success(.initial(let collection)?):
            #expect(loss != .invalidated && collection.isEmpty, "\(name)")
        case .failure(RealmError.invalidated): #expect(loss == .invalidated, "\(name)")
        case let other: Issue.record("\(name): \(other)")
        }
    }

    @Test("Watching", arguments: Loss.allCases, [false, true])
    func watching(_ loss: Loss, _ readBefore: Bool) async throws {
        try await lose(loss, readBefore: readBefore) { _, held in
            switch await first(held.host.changes()) {
            case .success(.deleted?): #expect(loss != .invalidated)
            case .failure(RealmError.invalidated): #expect(loss == .invalidated)
            case let other: Issue.record("\(other)")
            }
            switch await first(held.projection.changes(keyPaths: [\.title])) {
            case .success(.deleted?): #expect(loss != .invalidated)
            case .failure(RealmError.invalidated): #expect(loss == .invalidated)
            case let other: Issue.record("\(other)")
            }
            #expect(throws: RealmError.self) {
                _ = try held.host.observe(on: MainActor.shared) { _, _ in }
            }
            await expectEnd(of: held.numbers.changes(), loss, "numbers")
            await expectEnd(of: held.guests.changes(keyPaths: [\.name]), loss, "guests")
            await expectEnd(of: held.rooms.changes(), loss, "rooms")
            await expectEnd(of: held.notes.changes(), loss, "notes")
            await expectEnd(of: held.tags.changes(), loss, "tags")
            await expectEnd(of: held.regulars.changes(), loss, "regulars")
            await expectEnd(of: held.prices.changes(), loss, "prices")
            await expectEnd(of: held.seats.changes(), loss, "seats")
            await expectEnd(of: held.noteMap.changes(), loss, "noteMap")
            await expectEnd(of: held.innerList.changes(), loss, "innerList")
            await expectEnd(of: held.innerMap.changes(), loss, "innerMap")
            await expectEnd(of: held.deepList.changes(), loss, "deepList")
            await expectEnd(of: held.owners.changes(), loss, "owners")
            await expectEnd(of: held.projection.names.changes(), loss, "names")
            await expectEnd(of: held.results.changes(), loss, "results")
            await expectEnd(of: held.sections.changes(), loss, "sections")
            await expectEnd(of: held.section.changes(), loss, "section")
        }
    }

    @Test("Changing", arguments: Loss.allCases, [false, true])
    func changing(_ loss: Loss, _ readBefore: Bool) async throws {
        try await lose(loss, readBefore: readBefore) { live, held in
            let changes: [(String, () throws -> Void)] = [
                ("property", { held.host.name = "x" }),
                ("link", { held.host.cook = nil }),
                ("any", { held.host.note = 1 }),
                ("room", { held.room.number = 1 }),
                ("projection", { held.projection.title = "x" }),
                ("append", { held.numbers.append(1) }),
                ("remove all", { held.guests.removeAll() }),
                ("rooms", { held.rooms.append(Room()) }),
                ("sort", { held.numbers.sort(by: >) }),
                ("insert", { held.tags.insert("c") }),
                ("assign", { held.regulars.assign([]) }),
                ("map", { held.prices["z"] = 1 }),
                ("remove key", { held.seats.removeObject(for: "1") }),
                ("inner list", { held.innerList.append(1) }),
                ("inner map", { held.innerMap["z"] = 1 }),
                ("name", { try held.host.setValue("x", forName: "name") }),
                ("delete", { try live.delete(held.host) }),
                ("delete all", { try live.delete(Array(held.rooms)) }),
            ]
            for (name, change) in changes {
                do {
                    try await live.write { try change() }
                    // What has nothing in it to change may change nothing.
                    #expect(["sort", "delete all"].contains(name), "\(name)")
                } catch RealmError.invalidated {
                } catch RealmError.invalidObject {
                    #expect(name.hasPrefix("delete"), "\(name)")
                } catch {
                    Issue.record("\(name): \(error)")
                }
            }
            if loss == .invalidated {
                #expect(live.object(Host.self, forPrimaryKey: 1)?.name == "Inn")
            }
        }
    }
}
