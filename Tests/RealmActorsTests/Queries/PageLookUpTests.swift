import StorageHarness
import Testing

@testable import RealmActors

/// Pages that an index of several properties has in their order, against the whole results and
/// against a sort of all objects, of which no index has the order.
@Suite struct PageLookUpTests {
    private func ordered<Found: QueryableResults<Lot>>(
        _ all: Found, _ choice: LotChoice, _ isBackward: Bool
    ) throws -> Found {
        try choice.chosen(of: all).sorted(by: choice.order(isBackward))
    }

    /// The same without the index.
    private func scanned<Found: QueryableResults<Lot>>(
        _ all: Found, _ choice: LotChoice, _ isBackward: Bool
    ) throws -> [Int] {
        let sorted = try all.sorted(by: choice.order(isBackward))
        let (ids, areas) = (sorted.values(of: \.id), sorted.values(of: \.area))
        let (kinds, weights) = (sorted.values(of: \.kind), sorted.values(of: \.weight))
        let marks = sorted.values(of: \.mark)
        let chosen = ids.indices.filter {
            choice.holds(area: areas[$0], kind: kinds[$0], weight: weights[$0], mark: marks[$0])
        }
        return chosen.map { ids[$0] }
    }

    /// The objects of all pages, one page after the other.
    private func paged<Found: QueryableResults<Lot>>(
        _ found: Found, limit: Int
    ) throws -> [Int] {
        var ids: [Int] = []
        var page = try found.page(limit: limit)
        while true {
            let objects = page.objects.values(of: \.id)
            #expect(page.next == nil || objects.count == limit)
            ids += objects
            // No more than there are, so that pages that repeat come to an end.
            guard let next = page.next, ids.count <= found.count else { return ids }
            page = try found.page(after: PageCursor("\(next)"), limit: limit)
        }
    }

    private func check<Found: QueryableResults<Lot>>(_ all: Found, _ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var most = 0
        var number = 0
        for isBackward in [false, true, true, false] {
            for choice in LotChoice.samples(&random) {
                let limit = number % 8 == 7 ? Int.max : number % 8 + 1
                let comment: Comment = "SEED=\(seed), \(choice), \(isBackward), \(limit)"
                let found = try ordered(all, choice, isBackward)
                let ids = found.values(of: \.id)
                let expected = try scanned(all, choice, isBackward)
                #expect(ids == expected, comment)
                #expect(try paged(found, limit: limit) == expected, comment)
                let page = found._plan.query.page(behind: nil, limit: limit)
                let isLookedUp = page.lookedUp(in: found._plan.context.view) != nil
                #expect(isLookedUp == choice.isLookUp, comment)
                most = max(most, ids.count)
                number += 1
            }
        }
        #expect(most > 7, "SEED=\(seed)")
    }

    @Test func pagesOfFrozenResultsMakeThemUp() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            try check(realm.objects(Lot.self), seed)
        }
    }

    @Test func pagesInsideATransactionShowItsChanges() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            try await realm.write { tx in
                try Lot.change(tx, seed)
                try check(tx.objects(Lot.self), seed)
            }
            try check(realm.objects(Lot.self), seed)
        }
    }

    @MainActor @Test func pagesOfLiveResultsFollow() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            let live = try await realm.live()
            try await live.write {
                try Lot.change(live, seed)
                try check(live.objects(Lot.self), seed)
            }
            try check(live.objects(Lot.self), seed)
        }
    }

    /// What becomes of the last object of a page before the next page is asked for.
    enum Fate: CaseIterable {
        case deleted
        /// It no longer meets the condition.
        case elsewhere
        /// It stands before all others.
        case inFront
    }

    /// Of objects that weigh nothing.
    private func lose(
        _ id: Int, _ fate: Fate, _ isBackward: Bool, _ tx: WriteTransaction
    ) throws {
        let lot = try #require(tx.object(Lot.self, forPrimaryKey: id))
        switch fate {
        case .deleted: try tx.delete(lot)
        case .elsewhere: lot.weight = 2.5
        case .inFront: lot.kind = isBackward ? 1_000_000 : nil
        }
    }

    @Test(arguments: Fate.allCases)
    func aCommitTakesTheLastObjectOfEachPage(_ fate: Fate) async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            for isBackward in [false, true] {
                func found() throws -> FrozenResults<Lot> {
                    try ordered(realm.objects(Lot.self), .weight(0), isBackward)
                }
                let ids = try found().values(of: \.id)
                var seen: [Int] = []
                var page = try found().page(limit: 4)
                while true {
                    seen += page.objects.values(of: \.id)
                    guard let next = page.next, let last = seen.last, seen.count <= ids.count
                    else { break }
                    try await realm.write { tx in try lose(last, fate, isBackward, tx) }
                    page = try found().page(after: next, limit: 4)
                }
                #expect(seen == ids, "SEED=\(seed)")
                #expect(ids.count > 8, "SEED=\(seed)")
            }
        }
    }

    @Test(arguments: Fate.allCases)
    func aTransactionTakesTheLastObjectOfEachPage(_ fate: Fate) async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in
                try Lot.fill(160, tx, seed)
                for isBackward in [false, true] {
                    let found = try ordered(tx.objects(Lot.self), .weight(-0.0), isBackward)
                    let ids = found.values(of: \.id)
                    var seen: [Int] = []
                    var page = try found.page(limit: 3)
                    while true {
                        seen += page.objects.values(of: \.id)
                        guard let next = page.next, let last = seen.last, seen.count <= ids.count
                        else { break }
                        try lose(last, fate, isBackward, tx)
                        page = try found.page(after: next, limit: 3)
                    }
                    #expect(seen == ids, "SEED=\(seed)")
                    #expect(ids.count > 6, "SEED=\(seed)")
                }
            }
        }
    }

    /// What stands behind each of the objects, and still does when they are gone.
    private func checkCursors(
        _ choice: LotChoice, _ isBackward: Bool, _ tx: WriteTransaction
    ) throws {
        let found = try ordered(tx.objects(Lot.self), choice, isBackward)
        let ids = found.values(of: \.id)
        let expected = try scanned(tx.objects(Lot.self), choice, isBackward)
        #expect(ids == expected)
        try #require(ids.count > 9)
        let cursors = try (1..<ids.count).map { limit in
            try #require(try found.page(limit: limit).next)
        }
        for isGone in [false, true] {
            for (place, cursor) in cursors.enumerated() {
                if isGone {
                    try tx.delete(try #require(tx.object(Lot.self, forPrimaryKey: ids[place])))
                }
                let rest = try found.page(after: cursor, limit: .max)
                let behind = Array(ids[(place + 1)...])
                #expect(rest.objects.values(of: \.id) == behind, "\(place), gone: \(isGone)")
                #expect(rest.next == nil)
            }
        }
    }

    @Test(arguments: [false, true])
    func aCursorMayHaveNullsAndWhatIsNoNumber(_ isBackward: Bool) async throws {
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in
                for number in 0..<Lot.weights.count * 8 {
                    let lot = Lot()
                    lot.id = number
                    lot.area = number % 8 == 5 ? "south" : "north"
                    lot.kind = number % 8 < 4 ? nil : 1
                    lot.weight = Lot.weights[number / 8]
                    lot.mark = number % 4 < 2 ? nil : "x"
                    try tx.add(lot)
                }
                try checkCursors(.area("north"), isBackward, tx)
            }
        }
    }

    @Test(arguments: [false, true])
    func aCursorMayHaveATextInTheOrderOfPeople(_ isBackward: Bool) async throws {
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in
                for number in 0..<Lot.names.count * 4 {
                    let lot = Lot()
                    lot.id = number
                    lot.mark = number % 8 == 5 ? "y" : "x"
                    lot.name = Lot.names[number % Lot.names.count]
                    lot.kind = number % 2 == 0 ? nil : 7
                    try tx.add(lot)
                }
                try checkCursors(.mark("x"), isBackward, tx)
            }
        }
    }

    private func checkDerived<Found: QueryableResults<Lot>>(_ all: Found, _ seed: UInt64) throws {
        for isBackward in [false, true] {
            let order = LotChoice.area(nil).order(isBackward)
            let north = all.where { $0.area == "north" }
            let found = try north.sorted(by: order)
            var derived = [found]
            // Those which the index finds as well, and those which it does not.
            derived.append(try all.sorted(by: order).where { $0.area == "north" })
            derived.append(found.where { $0.kind == 0 })
            derived.append(found.where { $0.id > 100 })
            derived.append(try north.where { $0.area == "south" }.sorted(by: order))
            derived.append(found.sorted(by: \.mark))
            derived.append(found.sorted(by: \.name, collation: .people))
            let byID = all.sorted(by: \.id).where { $0.area == "north" }
            derived.append(try byID.sorted(by: order))
            derived.append(found.distinct(by: [\.kind, \.mark]))
            derived.append(try north.distinct(by: \.kind).sorted(by: order))
            derived.append(found.limit(9))
            derived.append(try north.limit(9).sorted(by: order))
            derived.append(found.limit(12).where { $0.kind != 0 })
            for (number, results) in derived.enumerated() {
                let comment: Comment = "SEED=\(seed), \(number), \(isBackward)"
                let ids = results.values(of: \.id)
                #expect(try paged(results, limit: 4) == ids, comment)
                for offset in [0, 1, 5, ids.count, ids.count + 2] {
                    let page = try results.page(offset: offset, limit: 3)
                    let expected = Array(ids.dropFirst(offset).prefix(3))
                    #expect(page.objects.values(of: \.id) == expected, comment)
                    #expect((page.next == nil) == (offset + 3 >= ids.count), comment)
                }
            }
            // A page is results like others.
            let page = try found.page(after: found.page(limit: 5).next, limit: 9).objects
            let (ids, kinds) = (page.values(of: \.id), page.values(of: \.kind))
            let expected = ids.indices.filter { kinds[$0] == 0 }.map { ids[$0] }
            let some = page.where { $0.kind == 0 }
            #expect(page.count == 9 && ids.count == 9)
            #expect(some.count == expected.count)
            #expect(some.values(of: \.id) == expected)
            #expect(page.sorted(by: \.id).values(of: \.id) == ids.sorted())
            #expect(page.limit(4).values(of: \.id) == Array(ids.prefix(4)))
            #expect(try paged(page, limit: 2) == ids)
        }
    }

    @Test func conditionsAndOrdersMayBeSaidInAnyWay() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in
                try Lot.fill(200, tx, seed)
                try checkDerived(tx.objects(Lot.self), seed)
            }
            try checkDerived(realm.objects(Lot.self), seed)
        }
    }

    /// Such a page went over all objects, or all that have the value.
    @Test(arguments: [false, true])
    func anOrderMayNameWhatIsGiven(_ isBackward: Bool) async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            let all = realm.objects(Lot.self)
            let rest = LotChoice.area(nil).order(isBackward)
            for number in 0..<2 * (rest.count + 1) {
                let (place, isFalling) = (number / 2, number % 2 == 1)
                var order = rest
                order.insert(
                    RealmSortDescriptor(keyPath: "area", ascending: !isFalling), at: place)
                let comment: Comment = "SEED=\(seed), \(place), \(isFalling)"
                let sorted = try all.sorted(by: order)
                let expected = zip(sorted.values(of: \.id), sorted.values(of: \.area))
                    .filter { $0.1 == "north" }.map { $0.0 }
                let north = try all.where { $0.area == "north" }.sorted(by: order)
                #expect(try paged(north, limit: 4) == expected, comment)
                let page = north._plan.query.page(behind: nil, limit: 4)
                #expect(page.lookedUp(in: north._plan.context.view) != nil, comment)
                // A cursor of others, which stand all behind these or all before them.
                guard place == 0 else { continue }
                let south = try all.where { $0.area == "south" }.sorted(by: order)
                let cursor = try #require(try south.page(limit: 3).next)
                let behind = try north.page(after: cursor, limit: .max).objects
                #expect(behind.values(of: \.id) == (isFalling ? expected : []), comment)
            }
        }
    }

    @Test func aSnapshotKeepsItsPages() async throws {
        let seed = SeededGenerator().seed
        try await withFreshRealm([Lot.self]) { realm in
            try await realm.write { tx in try Lot.fill(160, tx, seed) }
            let before = realm.snapshot()
            let found = try ordered(before.objects(Lot.self), .area("north"), false)
            let first = try found.page(limit: 4)
            let expected = try scanned(before.objects(Lot.self), .area("north"), false)
            try await realm.write { tx in
                try Lot.change(tx, seed)
                // The last one of the page, whatever else has changed.
                try tx.delete(tx.objects(Lot.self).where { $0.id == expected[3] })
            }
            #expect(first.objects.values(of: \.id) == Array(expected.prefix(4)))
            let rest = try found.page(after: first.next, limit: .max).objects
            #expect(rest.values(of: \.id) == Array(expected.dropFirst(4)))
            let again = try ordered(before.objects(Lot.self), .area("north"), false)
            #expect(try paged(again, limit: 3) == expected, "SEED=\(seed)")
            let now = try ordered(realm.objects(Lot.self), .area("north"), false)
            let changed = try scanned(realm.objects(Lot.self), .area("north"), false)
            #expect(try paged(now, limit: 3) == changed, "SEED=\(seed)")
            #expect(changed != expected)
        }
    }
}
