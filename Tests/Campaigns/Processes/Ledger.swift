import Foundation
import RealmActors
import Storage

/// Each transaction creates two matching rows, or many pairs.
final class LedgerRow: Object {
    @Persisted(indexed: true) var number: Int
    @Persisted var side: Int
    @Persisted var text: String
}

/// The number of transactions.
final class LedgerCounter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var count: Int
}

/// The transactions of a process that is killed or has a full disk, and the expected result.
enum Ledger {
    static let types: [ObjectBase.Type] = [LedgerRow.self, LedgerCounter.self]
    /// Older rows are deleted, so that transactions also delete.
    static let keptNumbers = 100

    /// The configuration of the store at a path.
    ///
    /// A paged one makes page commits, spills, and evicts most nodes after reading. A sealed one is
    /// encrypted.
    static func configuration(
        _ path: String, isPaged: Bool = false, isSealed: Bool = false
    ) -> Realm.Configuration {
        var configuration = Realm.Configuration(path: path, objectTypes: types)
        if isSealed { configuration.encryptionKey = try? EncryptionKey((0..<64).map { $0 }) }
        guard isPaged else { return configuration }
        configuration.memoryBudget = 100_000
        configuration.logOptions.pageCommitBytes = 15_000
        configuration.logOptions.spillBytes = 20_000
        configuration.logOptions.pages.segmentSizeGrown = 64 << 10
        return configuration
    }

    /// The number of pairs that a transaction creates.
    static func pairs(_ number: Int) -> Int { number % 60 == 0 ? 300 : 1 }

    /// One transaction; returns its number. Every twentieth writes more than a page.
    static func write(_ realm: Realm) async throws -> Int {
        try await realm.write { tx in
            let counter =
                try tx.object(LedgerCounter.self, forPrimaryKey: 0)
                ?? tx.create(LedgerCounter.self, value: ["id": 0, "count": 0])
            let number = counter.count + 1
            let text = text(number)
            for side in -pairs(number)...pairs(number) where side != 0 {
                let row = LedgerRow()
                (row.number, row.side, row.text) = (number, side, text)
                try tx.add(row)
            }
            try tx.delete(tx.objects(LedgerRow.self).where { $0.number <= number - keptNumbers })
            counter.count = number
            return number
        }
    }

    static func text(_ number: Int) -> String {
        String(repeating: "\(number) ", count: number % 60 == 0 ? 20 : number % 20 == 0 ? 2_000 : 3)
    }

    /// The problem of the contents, given that `acknowledged` was acknowledged; nil if there is
    /// none.
    static func problem(in snapshot: Snapshot, acknowledged: Int) -> String? {
        let count = snapshot.object(LedgerCounter.self, forPrimaryKey: 0)?.count ?? 0
        if count < acknowledged { return "\(acknowledged) was acknowledged, \(count) is there" }
        let first = max(1, count - keptNumbers + 1)
        let numbers = first..<max(first, count + 1)
        let expected = numbers.reduce(0) { $0 + pairs($1) * 2 }
        let rows = snapshot.objects(LedgerRow.self)
        if rows.count != expected { return "\(rows.count) rows, not \(expected), of \(count)" }
        var sides: [Int: Int] = [:]
        for row in rows {
            if row.text != text(row.number) { return "the text of \(row.number) is torn" }
            sides[row.number, default: 0] += row.side
            // Through the index as well, which must be consistent with the rows.
            let number = row.number
            if abs(row.side) == 1,
                rows.where({ $0.number == number }).count != 2 * pairs(number)
            {
                return "rows of \(number) are missing in the index"
            }
        }
        let isWhole = sides.count == numbers.count && sides.values.allSatisfy { $0 == 0 }
        let isInRange = sides.keys.allSatisfy { $0 >= first && $0 <= count }
        return isWhole && isInRange ? nil : "a transaction is torn among \(first) to \(count)"
    }
}
