import RealmActors
import Storage
import StorageHarness

/// A row that transactions transfer money from and to.
final class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var balance: Int
    /// The number of transactions that have written the account: no two may read the same number.
    @Persisted var writes: Int
    /// Set by the last transaction.
    @Persisted var isClosed: Bool
}

/// The state of an account in a version.
struct AccountState: Equatable, Sendable {
    var balance: Int
    var writes = 0
}

extension Account {
    /// The number of accounts, and their initial balance.
    static let count = 8
    static let start = 1_000

    static var opened: [AccountState] {
        .init(repeating: AccountState(balance: start), count: count)
    }

    var state: AccountState { AccountState(balance: balance, writes: writes) }
}

extension Frozen where Model == Account {
    var state: AccountState { AccountState(balance: self.balance, writes: self.writes) }
}

/// One transaction: its parameters, and what it has read.
struct Transfer: Sendable {
    let number: Int
    let from: Int
    let to: Int
    let amount: Int

    init(_ number: Int, _ random: inout SeededGenerator) {
        self.number = number
        from = random.next(below: Account.count)
        to = (from + 1 + random.next(below: Account.count - 1)) % Account.count
        amount = random.next(below: 100)
    }

    /// The author of its commit.
    var author: String { "\(number)" }

    /// What it has read.
    struct Reading: Sendable {
        let from: AccountState
        let to: AccountState
    }

    /// Applies it to managed accounts.
    func apply(_ account: (Int) -> Account?) throws -> Reading {
        guard let from = account(from), let to = account(to) else {
            throw Violation("an account is gone")
        }
        let reading = Reading(from: from.state, to: to.state)
        from.balance -= amount
        from.writes += 1
        to.balance += amount
        to.writes += 1
        return reading
    }

    /// Applies it to a plain copy of the accounts.
    func apply(_ states: inout [AccountState]) {
        states[from].balance -= amount
        states[from].writes += 1
        states[to].balance += amount
        states[to].writes += 1
    }
}
