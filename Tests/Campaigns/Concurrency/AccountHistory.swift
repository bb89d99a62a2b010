import RealmActors
import Storage
import StorageHarness
import Synchronization

/// What all tasks report to have done and read, to be checked at the end.
final class AccountHistory: Sendable {
    /// What a task has read of a version.
    struct Observation: Sendable {
        let witness: String
        let version: Realm.Version
        /// Nil for an account that was not read.
        let states: [AccountState?]
    }

    private struct State: Sendable {
        var transfers: [Int: (Transfer, Transfer.Reading)] = [:]
        var refused: Set<Int> = []
        var commits: [(version: Realm.Version, author: String?)] = []
        var observations: [Observation] = []
        var isOver = false
    }

    private let state = Mutex(State())

    func committed(_ transfer: Transfer, _ reading: Transfer.Reading) {
        state.withLock { $0.transfers[transfer.number] = (transfer, reading) }
    }

    func refused(_ transfer: Transfer) {
        state.withLock { _ = $0.refused.insert(transfer.number) }
    }

    /// A commit that a stream has reported.
    func reported(_ commit: RealmCommit) {
        state.withLock { $0.commits.append((commit.version, commit.author)) }
    }

    func saw(_ states: [AccountState?], at version: Realm.Version, _ witness: String) {
        state.withLock {
            $0.observations.append(Observation(witness: witness, version: version, states: states))
        }
    }

    /// Whether all writers have ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    func end() { state.withLock { $0.isOver = true } }

    /// Checks all reports; returns how many transactions have committed.
    ///
    /// Each transaction must have read exactly what the previous ones have left, in the order of
    /// the commits: then no update was lost, and the history is serializable. Everything that was
    /// read of a version must be its contents.
    func check() throws -> Int {
        let state = state.withLock { $0 }
        var states = Account.opened
        var versions: [Realm.Version: [AccountState]] = [:]
        if let first = state.commits.first {
            versions[Realm.Version(rawValue: first.version.rawValue - 1)] = states
        }
        var committed: Set<Int> = []
        var before: Realm.Version?
        for commit in state.commits {
            if let before, commit.version.rawValue != before.rawValue + 1 {
                throw Violation("commit \(commit.version) was reported after \(before)")
            }
            before = commit.version
            if let number = commit.author.flatMap({ Int($0) }) {
                guard let (transfer, reading) = state.transfers[number] else {
                    throw Violation("transfer \(number) is in the log, and its write threw")
                }
                guard committed.insert(number).inserted else {
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
        guard committed.count == state.transfers.count else {
            throw Violation(
                "\(state.transfers.count) writes returned, the log has \(committed.count)")
        }
        guard state.refused.isDisjoint(with: state.transfers.keys) else {
            throw Violation("a write was refused and committed")
        }
        for observation in state.observations { try Self.check(observation, versions) }
        return committed.count
    }

    private static func check(
        _ observation: Observation, _ versions: [Realm.Version: [AccountState]]
    ) throws {
        guard let states = versions[observation.version] else {
            throw Violation(
                "\(observation.witness) saw version \(observation.version), which does not exist")
        }
        for (account, state) in observation.states.enumerated() where state != nil {
            guard state == states[account] else {
                throw Violation(
                    "\(observation.witness) saw \(observation.states) in version "
                        + "\(observation.version), not \(states)")
            }
        }
    }
}
