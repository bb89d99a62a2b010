import Foundation
import RealmActors
import Storage

/// A row of one of several processes that write to the same store.
final class SharedRow: Object {
    @Persisted(indexed: true) var writer: Int
    @Persisted var order: Int
    @Persisted var touches: Int
}

/// How many transactions a process has made.
final class SharedCounter: Object {
    @Persisted(primaryKey: true) var writer: Int
    @Persisted var count: Int
}

/// What several processes write, and what must be left of it: of each, what was acknowledged
/// to it, in its order, and whole.
enum SharedRows {
    static let types: [ObjectBase.Type] = [SharedRow.self, SharedCounter.self]
    /// So often a transaction also deletes an older row, and changes another.
    private static let stride = 50

    /// A store whose log has many small segments, so that processes take over at their ends, too.
    static func configuration(_ path: String, readOnly: Bool = false) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: path, objectTypes: types, readOnly: readOnly, writeTimeout: .seconds(120))
        configuration.logOptions.segmentSizeMin = 32 << 10
        configuration.logOptions.segmentSizeGrown = 128 << 10
        configuration.logOptions.pages.segmentSizeGrown = 64 << 10
        return configuration
    }

    /// One transaction of a process; returns its number.
    static func write(_ realm: Realm, _ writer: Int) async throws -> Int {
        try await realm.write { tx in
            let counter =
                try tx.object(SharedCounter.self, forPrimaryKey: writer)
                ?? tx.create(SharedCounter.self, value: ["writer": writer, "count": 0])
            counter.count += 1
            let number = counter.count
            try tx.create(SharedRow.self, value: ["writer": writer, "order": number])
            guard number.isMultiple(of: stride) else { return number }
            let own = tx.objects(SharedRow.self).where { $0.writer == writer }
            if let old = own.where({ $0.order == number - stride + 1 }).first {
                try tx.delete(old)
            }
            own.where { $0.order == number - 1 }.first?.touches += 1
            return number
        }
    }

    /// The rows that are left of a process after so many transactions.
    static func orders(_ count: Int) -> [Int] {
        let deleted = count / stride * stride
        return (1...max(count, 1)).filter {
            $0 <= count && ($0 > deleted || $0 % stride != 1)
        }
    }

    /// What is wrong with what was found, given what was acknowledged to each process; nil when
    /// nothing is.
    static func problem(in snapshot: Snapshot, acknowledged: [Int]) -> String? {
        var found: [Int: [Int]] = [:]
        for row in snapshot.objects(SharedRow.self) {
            found[row.writer, default: []].append(row.order)
            let isTouched =
                row.order % stride == stride - 1
                && row.order < snapshot.count(of: row.writer)
            if (row.touches == 1) != isTouched {
                return "row \(row.order) of \(row.writer) was changed \(row.touches) times"
            }
        }
        for (writer, told) in acknowledged.enumerated() {
            let count = snapshot.count(of: writer)
            if count < told { return "\(writer) was told of \(told), and \(count) are there" }
            if found[writer] ?? [] != (count == 0 ? [] : orders(count)) {
                return "the rows of \(writer) are not those of \(count) transactions in order"
            }
        }
        return nil
    }
}

extension Snapshot {
    fileprivate func count(of writer: Int) -> Int {
        object(SharedCounter.self, forPrimaryKey: writer)?.count ?? 0
    }
}
