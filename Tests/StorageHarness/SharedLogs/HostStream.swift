import Storage
import Synchronization

/// An observer of a host, from an opening on: a replica of the rows, to which only the changes that
/// the host delivers are applied.
final class HostStream: CommitObserver {
    /// A delivered version, and the state of the replica at it.
    struct Element: Sendable {
        let version: Version
        let hash: Int64
        /// The rows that are new in it.
        let created: [HostRows.Row]
    }

    private struct State {
        var rows = HostRows()
        var elements: [Element] = []
        var violation: Violation?
    }

    private let forgetsRows: Bool
    private let state = Mutex(State())

    init(_ canary: HostCanary? = nil) { forgetsRows = canary == .tellsTooLittle }

    /// Begins with the version that the host opened with.
    func begin(with root: SnapshotRoot) {
        let rows = HostRows(root.view)
        state.withLock { state in
            state.rows = rows
            state.elements = [Element(version: root.version, hash: rows.hash, created: [])]
        }
    }

    /// What was delivered since the last call.
    ///
    /// - Throws: ``Violation`` when a change did not fit the changes before.
    func takeElements() throws -> [Element] {
        let (elements, violation) = state.withLock { state in
            defer { state.elements = [] }
            return (state.elements, state.violation)
        }
        if let violation { throw violation }
        return elements
    }

    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) {
        state.withLock { state in
            do {
                for commit in commits { try note(commit, &state) }
            } catch {
                state.violation = error as? Violation ?? Violation("\(error)")
            }
        }
        makeLatest()
    }

    private func note(_ commit: CommitChanges, _ state: inout State) throws {
        guard let root = commit.root else {
            throw Violation("version \(commit.version) is not there to be seen")
        }
        var created: [HostRows.Row] = []
        let isForgotten = forgetsRows && commit.version.rawValue.isMultiple(of: 8)
        if let changes = commit.changeSet().classes[HarnessSchema.item], !isForgotten {
            created = try state.rows.apply(changes, of: root.view)
        }
        state.elements.append(
            Element(version: commit.version, hash: state.rows.hash, created: created))
    }

    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool { true }
    func finish(_ failure: StorageError?) {}
    func restart(_ makeLatest: () -> Version) { _ = makeLatest() }
}
