import Foundation
import RealmActors

let budgetWorkloads: [Workload<Bench>] = [
    Workload("w18_scan_4x_budget") { bench in
        // Four times the persons, so that the process itself hardly counts.
        let count = bench.count * 4
        let realm = try await bench.freshRealm("budget")
        for part in 0..<4 {
            let numbers = part * bench.count..<(part + 1) * bench.count
            try await realm.write { tx in try Dataset.insert(numbers, into: tx) }
        }
        let path = realm.configuration.path ?? ""
        try await realm.close()
        let child = try ChildProcess.start(
            .init(job: .scan, engine: Report.ourName, path: path, count: count))
        let words = try child.finish().split(separator: " ").map(String.init)
        try FileManager.default.removeItem(atPath: path)
        guard words.count == 3, let budget = Double(words[0]), let peak = Double(words[1]) else {
            throw ChildProcess.Failure(description: "the child printed \(words)")
        }
        let text = "\(Int(peak / 1e6)) MB with a budget of \(Int(budget / 1e6)) MB"
        return [
            Measurement(
                "w18_scan_4x_budget", peak / budget, "x budget",
                check: words[2] == "right" ? .note(text) : .equal(words[2], "right"))
        ]
    }
]

/// Scans and updates a store in a process of its own, with a budget of a quarter of its size.
enum BudgetScan {
    private static let batch = 10_000

    /// Prints the budget, the memory that the process took beyond what it had, and whether every
    /// sum was right.
    static func run(_ path: String, _ count: Int) async throws {
        let before = Disk.peakResidentBytes
        let budget = Disk.bytes(at: path) / 4
        let realm = try await Realm.open(
            .init(path: path, objectTypes: Bench.objectTypes, memoryBudget: budget))
        let first = scan(realm)
        for start in stride(from: 0, to: count, by: batch) {
            let keys = start..<min(start + batch, count)
            try await realm.write { tx in
                for key in keys { tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
            }
        }
        let second = scan(realm)
        let isRight =
            first.count == count && second.count == count && second.ages == first.ages + count
        print(budget, Disk.peakResidentBytes - before, isRight ? "right" : "\(first) \(second)")
        try await realm.close()
    }

    private static func scan(_ realm: Realm) -> (count: Int, ages: Int, letters: Int) {
        var sums = (count: 0, ages: 0, letters: 0)
        for person in realm.objects(Person.self) {
            sums.count += 1
            sums.ages += person.age
            sums.letters += Int(person.name.utf8.first ?? 0)
        }
        return sums
    }
}
