import RealmActors
import Storage
import StorageHarness

/// A row that transactions move money from and to.
final class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var balance: Int
    /// How many transactions have written the account: no two may find the same number.
    @Persisted var writes: Int
    /// Set by the last transaction of all.
    @Persisted var isClosed: Bool
}

/// What an account holds at some moment.
struct AccountState: Equatable, Sendable {
    var balance: Int
    var writes = 0
}

extension Account {
    /// How many there are, and what each begins with.
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

/// One transaction: what it does, and what it found when it ran.
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

    /// The tag that its commit bears.
    var author: String { "\(number)" }

    /// What it found.
    struct Reading: Sendable {
        let from: AccountState
        let to: AccountState
    }

    /// Does it to accounts that can be written.
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

    /// Does it to a plain copy of the accounts.
    func apply(_ states: inout [AccountState]) {
        states[from].balance -= amount
        states[from].writes += 1
        states[to].balance += amount
        states[to].writes += 1
    }
}
