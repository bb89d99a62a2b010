import RealmActors
import Storage
import StorageHarness

/// Follows a stream of changes, which it ends and restarts at random.
struct AccountObserver: Sendable {
    let realm: Realm
    let history: AccountHistory
    let number: Int
    var random: SeededGenerator

    private var witness: String { "observer \(number)" }

    /// Watches until the accounts are closed.
    func run() async throws {
        var random = random
        while true {
            let limit = random.oneIn(2) ? Int.max : 1 + random.next(below: 40)
            let watching = Task { try await watch(limit) }
            if random.oneIn(3) {
                try await Task.sleep(for: .milliseconds(random.next(below: 20)))
                watching.cancel()
            }
            if try await watching.value { return }
        }
    }

    /// True when the accounts are closed; false if `limit` or the task ended first.
    private func watch(_ limit: Int) async throws -> Bool {
        switch number % 3 {
        case 0: try await follow(realm.objects(Account.self), limit)
        case 1:
            try await follow(
                realm.objects(Account.self).where { $0.balance >= Account.start }
                    .sorted(by: \.balance), limit)
        default: try await follow(number % Account.count, limit)
        }
    }

    /// Follows a collection: every change, applied to the previous copy, must give the next state.
    private func follow(_ accounts: FrozenResults<Account>, _ limit: Int) async throws -> Bool {
        var copy = Replica<AccountValue>()
        var newest: Realm.Version?
        var elements = 0
        for try await change in accounts.changes() {
            let version = change.collection.snapshot.version
            if let newest, version <= newest {
                throw Violation("\(witness) was notified of \(version) after \(newest)")
            }
            newest = version
            try copy.apply(change, witness) { AccountValue(id: $0.id, state: $0.state) }
            observe(copy.elements, at: version)
            elements += 1
            // There is always an account with at least its initial balance.
            if change.collection.first?.isClosed == true { return true }
            if elements >= limit { return false }
        }
        return false
    }

    private func observe(_ values: [AccountValue], at version: Realm.Version) {
        var states = [AccountState?](repeating: nil, count: Account.count)
        for value in values { states[value.id] = value.state }
        history.saw(states, at: version, witness)
    }

    /// Follows one account: the old value of each property must be the one reported last.
    private func follow(_ id: Int, _ limit: Int) async throws -> Bool {
        guard let account = realm.object(Account.self, forPrimaryKey: id) else {
            throw Violation("account \(id) is gone")
        }
        if account.isClosed { return true }
        var last: AccountState?
        var elements = 0
        for try await change in account.changes() {
            guard case .change(let account, let properties) = change else {
                throw Violation("\(witness) was notified that account \(id) is gone")
            }
            for property in properties where property.name == "writes" {
                guard let last else { continue }
                guard property.oldValue == .int(last.writes) else {
                    throw Violation(
                        "\(witness) was notified that \(last.writes) writes were "
                            + "\(String(describing: property.oldValue))")
                }
            }
            last = account.state
            observe([AccountValue(id: id, state: account.state)], at: account.snapshot.version)
            elements += 1
            if account.isClosed { return true }
            if elements >= limit { return false }
        }
        return false
    }
}

/// An account as a collection shows it.
private struct AccountValue: Equatable {
    let id: Int
    let state: AccountState
}
