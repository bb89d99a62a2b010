import Foundation
import RealmActors
import Storage

/// A row of one of several processes that write to the same store.
final class SharedRow: Object {
    @Persisted(indexed: true) var writer: Int
    @Persisted var order: Int
    @Persisted var touches: Int
}

/// The number of transactions of a process.
final class SharedCounter: Object {
    @Persisted(primaryKey: true) var writer: Int
    @Persisted var count: Int
}

/// The transactions of several processes, and the expected result: for each process, all
/// acknowledged transactions, complete and in order.
enum SharedRows {
    static let types: [ObjectBase.Type] = [SharedRow.self, SharedCounter.self]
    /// How often a transaction also deletes an older row, and changes another.
    private static let stride = 50

    /// A store whose log has many small segments, so that handovers also occur at their ends.
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

    /// The remaining rows of a process after so many transactions.
    static func orders(_ count: Int) -> [Int] {
        let deleted = count / stride * stride
        return (1...max(count, 1)).filter {
            $0 <= count && ($0 > deleted || $0 % stride != 1)
        }
    }

    /// The problem of the contents, given what was acknowledged to each process; nil if there is
    /// none.
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
        for (writer, expected) in acknowledged.enumerated() {
            let count = snapshot.count(of: writer)
            if count < expected { return "\(writer) acknowledged \(expected), and has \(count)" }
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
