import RealmActors
import Storage
import StorageHarness

/// Concurrent writers, readers and observers of one realm.
struct AccountRun {
    static let writers = 8
    static let readers = 64
    static let observers = 32
    static let transfersEach = 64

    let realm: Realm
    let seed: UInt64
    let history = AccountHistory()

    /// Runs all tasks; returns how many transactions have committed.
    func run() async throws -> Int {
        try await realm.write { tx in
            for (id, state) in Account.opened.enumerated() {
                try tx.create(Account.self, value: ["id": id, "balance": state.balance])
            }
        }
        // Subscribed before the first transfer.
        var commits = realm.commits().makeAsyncIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.readers { group.addTask { try await read(number) } }
            for number in 0..<Self.observers {
                let observer = AccountObserver(
                    realm: realm, history: history, number: number,
                    random: SeededGenerator(seed: seed ^ UInt64(number) << 32))
                group.addTask { try await observer.run() }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.writers { group.addTask { try await write(number) } }
                try await group.waitForAll()
            }
            history.end()
            try await realm.write(author: Self.lastAuthor) { tx in
                for account in tx.objects(Account.self) { account.isClosed = true }
            }
            try await group.waitForAll()
        }
        while let commit = try await commits.next(isolation: nil) {
            history.reported(commit)
            if commit.author == Self.lastAuthor { break }
        }
        return try history.check()
    }

    private static let lastAuthor = "the last"

    /// One in four writers keeps its transactions open across awaits.
    private func write(_ number: Int) async throws {
        var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1000_0001)
        let keeper = number % 4 == 3 ? AccountKeeper(realm) : nil
        for step in 0..<Self.transfersEach {
            let transfer = Transfer(number * Self.transfersEach + step, &random)
            let writing = Task {
                if let keeper { return try await keeper.write(transfer) }
                return try await realm.write(author: transfer.author) { tx in
                    try transfer.apply { tx.object(Account.self, forPrimaryKey: $0) }
                }
            }
            // Before it begins, while it waits, while it runs, or too late.
            if random.oneIn(4) {
                for _ in 0..<random.next(below: 12) { await Task.yield() }
                writing.cancel()
            }
            do {
                let reading = try await writing.value
                history.committed(transfer, reading)
                try seeOwn(transfer, reading)
            } catch is CancellationError {
                history.refused(transfer)
            }
        }
    }

    /// A task reads its own writes.
    private func seeOwn(_ transfer: Transfer, _ reading: Transfer.Reading) throws {
        let account = realm.object(Account.self, forPrimaryKey: transfer.from)
        guard let account, account.writes > reading.from.writes else {
            throw Violation("transfer \(transfer.number) returned, and a snapshot lacks it")
        }
    }

    /// Reads half of a version, yields to others, and reads the rest.
    private func read(_ number: Int) async throws {
        let witness = "reader \(number)"
        var newest: Realm.Version?
        while !history.isOver {
            let snapshot = realm.snapshot(label: witness)
            if let newest, snapshot.version < newest {
                throw Violation("\(witness) got \(snapshot.version) after \(newest)")
            }
            newest = snapshot.version
            var states: [AccountState?] = (0..<Account.count / 2).map {
                snapshot.object(Account.self, forPrimaryKey: $0)?.state
            }
            for _ in 0...number % 4 { await Task.yield() }
            states += snapshot.objects(Account.self).where { $0.id >= Account.count / 2 }
                .sorted(by: \.id).map { $0.state }
            guard states.count == Account.count, !states.contains(nil) else {
                throw Violation("\(witness) saw \(states.count) accounts")
            }
            history.saw(states, at: snapshot.version, witness)
            try await Task.sleep(for: .milliseconds(10 + number))
        }
    }
}

/// Writes through its own live realm.
private actor AccountKeeper {
    private let realm: Realm
    private var live: LiveRealm?

    init(_ realm: Realm) { self.realm = realm }

    func write(_ transfer: Transfer) async throws -> Transfer.Reading {
        let live = try await opened()
        try await live.beginWrite()
        let reading: Transfer.Reading
        do {
            await Task.yield()
            reading = try transfer.apply { live.object(Account.self, forPrimaryKey: $0) }
            await Task.yield()
        } catch {
            live.cancelWrite()
            throw error
        }
        try await live.commitWrite(author: transfer.author)
        return reading
    }

    private func opened() async throws -> LiveRealm {
        if let live { return live }
        let opened = try await realm.live()
        live = opened
        return opened
    }
}

extension Campaign {
    /// Concurrent writers, readers and observers, some of which are cancelled.
    static let concurrency = Campaign(
        id: "C8",
        title: "\(AccountRun.writers) writers, \(AccountRun.readers) readers, "
            + "\(AccountRun.observers) observers", unit: "transactions", shortCount: { 120 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            let realm = try await Realm.open(
                .init(
                    path: directory + "/accounts.realm", objectTypes: [Account.self],
                    durability: seed % 2 == 0 ? .fsync : .relaxed(every: .milliseconds(5)),
                    writeTimeout: nil))
            let count = try await AccountRun(realm: realm, seed: seed).run()
            try await realm.close()
            return count
        }
    }
}
