import Foundation
import RealmActors

/// An index of two properties: looking up by both, and going through the pages of one.
let compositeWorkloads: [Workload<Bench>] = [
    Workload("w24_composite_lookups", "w24_composite_pages") { bench in
        let count = Ledger.count(bench.count)
        let path = bench.folder.appendingPathComponent("ledger-\(UUID().uuidString).realm").path
        let realm = try await Realm.open(.init(path: path, objectTypes: [LedgerEntry.self]))
        try await realm.write { tx in
            for number in 0..<count {
                let entry = LedgerEntry()
                entry.account = Ledger.account(number, of: count)
                entry.day = Ledger.day(number)
                entry.amount = Ledger.amount(number)
                try tx.add(entry)
            }
        }
        let entries = realm.objects(LedgerEntry.self)
        let expected = Ledger.expected(count)
        _ = lookUp(entries, count)
        let lookUps = (0..<3).map { _ in timed { lookUp(entries, count) } }
        _ = try walkPages(entries, count)
        let pages = try (0..<3).map { _ in try timed { try walkPages(entries, count) } }
        try await bench.discard(realm)
        return [
            Measurement(
                "w24_composite_lookups",
                Double(Ledger.lookUps(count)) / lookUps.map(\.seconds).median, "lookups/s",
                check: .equal(lookUps[0].result, expected.sum)),
            Measurement(
                "w24_composite_pages",
                Double(pages[0].result.pages) / pages.map(\.seconds).median, "pages/s",
                check: .equal(pages[0].result.hash, expected.hash)),
        ]
    }
]

private func lookUp(_ entries: FrozenResults<LedgerEntry>, _ count: Int) -> Int {
    var sum = 0
    for number in 0..<Ledger.lookUps(count) {
        let sought = Ledger.sought(number, of: count)
        let (account, day) = (Ledger.account(sought, of: count), Ledger.day(sought))
        for entry in entries.where({ $0.account == account && $0.day == day }) {
            sum += entry.amount
        }
    }
    return sum
}

private func walkPages(
    _ entries: FrozenResults<LedgerEntry>, _ count: Int
) throws -> (pages: Int, hash: UInt64) {
    var (pages, hash) = (0, UInt64(0))
    for account in Ledger.paged(count) {
        let ofAccount = entries.where { $0.account == account }.sorted(by: \.day)
        var cursor: PageCursor?
        repeat {
            let page = try ofAccount.page(after: cursor, limit: Ledger.pageSize)
            for entry in page.objects { Ledger.append(entry.amount, to: &hash) }
            cursor = page.next
            pages += 1
        } while cursor != nil
    }
    return (pages, hash)
}
