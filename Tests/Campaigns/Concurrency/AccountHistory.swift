import RealmActors
import Storage
import StorageHarness
import Synchronization

/// What everyone says to have done and seen, to be judged when all is over.
final class AccountHistory: Sendable {
    /// What somebody saw of a version.
    struct Sight: Sendable {
        let witness: String
        let version: Realm.Version
        /// Nil for an account that was not looked at.
        let states: [AccountState?]
    }

    private struct State: Sendable {
        var transfers: [Int: (Transfer, Transfer.Reading)] = [:]
        var refused: Set<Int> = []
        var commits: [(version: Realm.Version, author: String?)] = []
        var sights: [Sight] = []
        var isOver = false
    }

    private let state = Mutex(State())

    func committed(_ transfer: Transfer, _ reading: Transfer.Reading) {
        state.withLock { $0.transfers[transfer.number] = (transfer, reading) }
    }

    func refused(_ transfer: Transfer) {
        state.withLock { _ = $0.refused.insert(transfer.number) }
    }

    /// A commit that a stream told of.
    func told(_ commit: RealmCommit) {
        state.withLock { $0.commits.append((commit.version, commit.author)) }
    }

    func saw(_ states: [AccountState?], at version: Realm.Version, _ witness: String) {
        state.withLock {
            $0.sights.append(Sight(witness: witness, version: version, states: states))
        }
    }

    /// Whether all writers are done.
    var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    /// Judges all that was said; returns how many transactions committed.
    ///
    /// Each transaction must have found exactly what the ones before it left, in the order of the
    /// commits: then none was lost, and all of them might have run one after another. Everything
    /// seen must be what stood in its version.
    func judge() throws -> Int {
        let state = state.withLock { $0 }
        var states = Account.opened
        var versions: [Realm.Version: [AccountState]] = [:]
        if let first = state.commits.first {
            versions[Realm.Version(rawValue: first.version.rawValue - 1)] = states
        }
        var told: Set<Int> = []
        var before: Realm.Version?
        for commit in state.commits {
            if let before, commit.version.rawValue != before.rawValue + 1 {
                throw Violation("commit \(commit.version) was told behind \(before)")
            }
            before = commit.version
            if let number = commit.author.flatMap({ Int($0) }) {
                guard let (transfer, reading) = state.transfers[number] else {
                    throw Violation("transfer \(number) is in the log, and its write threw")
                }
                guard told.insert(number).inserted else {
                    throw Violation("transfer \(number) is in the log twice")
                }
                guard reading.from == states[transfer.from], reading.to == states[transfer.to]
                else {
                    throw Violation(
                        "transfer \(number) of version \(commit.version) found \(reading), not "
                            + "\(states[transfer.from]) and \(states[transfer.to])")
                }
                transfer.apply(&states)
            }
            versions[commit.version] = states
        }
        guard told.count == state.transfers.count else {
            throw Violation("\(state.transfers.count) writes returned, the log has \(told.count)")
        }
        guard state.refused.isDisjoint(with: state.transfers.keys) else {
            throw Violation("a write was refused and committed")
        }
        for sight in state.sights { try Self.judge(sight, versions) }
        return told.count
    }

    private static func judge(
        _ sight: Sight, _ versions: [Realm.Version: [AccountState]]
    ) throws {
        guard let states = versions[sight.version] else {
            throw Violation("\(sight.witness) saw version \(sight.version), which nobody made")
        }
        for (account, state) in sight.states.enumerated() where state != nil {
            guard state == states[account] else {
                throw Violation(
                    "\(sight.witness) saw \(sight.states) in version \(sight.version), not "
                        + "\(states)")
            }
        }
    }
}
