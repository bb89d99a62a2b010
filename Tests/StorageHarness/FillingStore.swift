import Dispatch
package import Storage

/// A store that is filled until there is no space for more, and made smaller again. Nothing happens
/// in the background, so that every run of a seed is the same.
package final class FillingStore {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int),
                ColumnSchema(name: "twin", kind: .int, isIndexed: true),
                ColumnSchema(name: "text", kind: .string),
            ],
            primaryKey: ColumnID(0))
    ])

    private let files: any FileSystem
    private let options: LogOptions
    package private(set) var engine: TransactionEngine
    /// What is in it.
    package private(set) var numbers: [Int64] = []
    private var next: Int64 = 0
    /// Transactions that were refused.
    package private(set) var refusals = 0

    package static var options: LogOptions {
        var options = LogOptions()
        options.preparesInBackground = false
        return options
    }

    package init(_ files: any FileSystem, options: LogOptions = FillingStore.options) throws {
        self.files = files
        self.options = options
        engine = try Self.open(files, options)
    }

    private static func open(
        _ files: any FileSystem, _ options: LogOptions
    ) throws -> TransactionEngine {
        var opening = StoreOpening(fileSystem: files, directory: "store.realm")
        opening.options = options
        let opened = try opening.open(account: NodeAccount()) { _ in Self.schema }
        return TransactionEngine(opened, policy: .automatic)
    }

    // MARK: Transactions

    /// Whether the commit went through; a refusal is the only other outcome.
    private func change(
        _ successors: TransactionEngine.Successors = .none, _ body: (WorkingTree) -> Void
    ) throws -> Bool {
        let before = engine.latest.version
        try engine.beginBody()
        body(engine.tree)
        let version = try engine.encodeCommit(author: nil, time: 0)
        engine.endBody(version, waiter: .nobody, successors: successors)
        if let failure = engine.failure { throw Violation("the store has failed: \(failure)") }
        if engine.latest.version > before { return true }
        refusals += 1
        return false
    }

    package func insert(
        _ count: Int, _ successors: TransactionEngine.Successors = .none
    ) throws -> Bool {
        let added = next..<next + Int64(count)
        let isDone = try change(successors) { tree in
            for number in added {
                let key = tree.createRow(Self.item)
                tree.set(.int(number), Self.item, key, ColumnID(0))
                tree.set(.int(number &* 7919 % 1000), Self.item, key, ColumnID(1))
                let text = String(repeating: "text \(number) ", count: 1 + Int(number % 13))
                tree.set(.string(text), Self.item, key, ColumnID(2))
            }
        }
        if isDone {
            numbers += added
            next = added.upperBound
        }
        return isDone
    }

    /// Deletes the rows whose places meet a condition.
    package func delete(where isMeant: (Int) -> Bool) throws -> Bool {
        let view = engine.latest.view.classView(Self.item)
        let places = numbers.indices.filter(isMeant)
        if places.isEmpty { return true }
        let keys = places.map { view.key(at: $0) }
        let isDone = try change { $0.delete(Self.item, keys) }
        if isDone {
            let deleted = Set(places)
            numbers = numbers.indices.filter { !deleted.contains($0) }.map { numbers[$0] }
        }
        return isDone
    }

    /// Inserts batches until none fits; then smaller ones, down to single rows.
    package func fill(batch: Int = 1_000) throws {
        var count = batch
        while count > 0 {
            while try insert(count) {}
            count /= 10
        }
    }

    // MARK: Upkeep

    /// Everything that `Realm.compact()` does.
    package func compact() throws {
        var compaction = Compaction(isFull: true, dropsHistory: true)
        while compaction.step != nil { try engine.perform(&compaction) }
    }

    package func close() throws {
        let ended = DispatchSemaphore(value: 0)
        // Safe: written by the log's thread before it signals, read after.
        nonisolated(unsafe) var result: Result<Void, StorageError> = .success(())
        engine.close {
            result = $0
            ended.signal()
        }
        ended.wait()
        if case .failure(let error) = result { throw Violation("the close says \(error)") }
    }

    package func reopen() throws {
        try close()
        engine = try Self.open(files, options)
    }

    /// Opens it once more after a crash, without closing.
    package func recover() throws { engine = try Self.open(files, options) }

    /// Throws when it does not hold what it should.
    package func check() throws {
        let latest = engine.latest
        let view = latest.view.classView(Self.item)
        guard view.count == numbers.count else {
            throw Violation("\(view.count) rows, not \(numbers.count)")
        }
        for (place, number) in numbers.enumerated() {
            let row = view.row(at: place)
            guard row.cluster.int(0, row.slot) == number else {
                throw Violation("row \(place) is not \(number)")
            }
        }
        let outcome = try engine.verify(ReadingMonitor())
        if let problem = outcome.problems.first { throw Violation("verification finds \(problem)") }
    }

    // MARK: The way out

    /// Fills the store, deletes all of it, and writes again, round after round.
    package func wayOut(rounds: Int, random: inout SeededGenerator) throws {
        var filled = 0
        for round in 0..<rounds {
            try fill()
            try check()
            if numbers.count < filled / 5 {
                throw Violation("round \(round): \(numbers.count) rows fit, \(filled) did once")
            }
            filled = max(filled, numbers.count)
            // Those that end it, and some on the way.
            if random.oneIn(2) { try reopen() }
            if random.oneIn(3) {
                guard try delete(where: { $0 % 5 == 0 }) else {
                    throw Violation("round \(round): deleting a part was refused")
                }
                if random.oneIn(2) { try? engine.checkpoint() }
            }
            guard try delete(where: { _ in true }) else {
                throw Violation("round \(round): deleting all was refused")
            }
            for step in 0..<3 where random.oneIn(2) {
                switch step {
                case 0: try compact()
                case 1: try engine.checkpoint()
                default: try reopen()
                }
            }
            guard try insert(100), try insert(100) else {
                throw Violation("round \(round): nothing can be written although nothing is there")
            }
            try check()
        }
    }
}
