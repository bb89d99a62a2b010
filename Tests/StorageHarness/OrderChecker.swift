import Storage
import Synchronization

/// Watches the calls of a store on a simulated disk and notes what is done too early: nothing may
/// point at what is not yet durable.
package final class OrderChecker: Sendable {
    private let disk: SimulatedDisk
    /// Whether versions are published when they are written.
    private let isRelaxed: Bool
    private let state: Mutex<State>

    private struct State: Sendable {
        var violation: Violation?
        /// Files that an earlier writer left unsynced, as far as this one has not written them:
        /// opening has seen to what it trusts of them.
        var inherited: Set<String> = []
        /// The newest segment that the log has come to; what is behind it is being made.
        var newest = ""
        /// Page segments that were made since a superblock was written: none refers to them.
        var unreferred: Set<String> = []
    }

    /// Watches from now on, until ``finish()``.
    package init(
        _ disk: SimulatedDisk, isRelaxed: Bool = false, trace: (@Sendable (String) -> Void)? = nil
    ) {
        self.disk = disk
        self.isRelaxed = isRelaxed
        state = Mutex(State())
        disk.observe { [weak self] call in
            guard call.moment == .before else { return }
            trace?("\(call.operation.rawValue) \(call.path)")
            self?.check(call)
        }
    }

    /// A version becomes visible now.
    package func published() {
        if !isRelaxed { requireDurable("a version is published") { $0.isLogSegment } }
    }

    /// Stops watching, and throws what was noted first.
    package func finish() throws {
        disk.observe(nil)
        if let violation = state.withLock({ $0.violation }) { throw violation }
    }

    private func check(_ call: SimulatedDisk.Call) {
        let path = call.path
        switch call.operation {
        case .open where path.hasSuffix("/writer.lock"):
            // A writer begins.
            state.withLock { $0 = State(violation: $0.violation, inherited: disk.unsyncedPaths) }
        case .open where path.isPageSegment && !isThere(path):
            state.withLock { _ = $0.unreferred.insert(path) }
        case .write where path.hasSuffix("/superblock") && disk.faultyCallCount == 0:
            // A checkpoint that was refused leaves page files that nothing will refer to.
            requireDurable("\(path) is written") { $0.isLogSegment || $0.isPageSegment }
        case .write where path.hasSuffix("/horizon"):
            requireDurable("\(path) is written") { $0.isLogSegment && !isRelaxed }
        case .write where path.isLogSegment && !disk.unsyncedPaths.contains(path):
            // The header of a segment says where the one before it ends.
            requireDurable("\(path) is written") { $0.isLogSegment && $0 < path }
            state.withLock { $0.newest = max($0.newest, path) }
        case .remove where path.isLogSegment && path <= state.withLock({ $0.newest }),
            // Before a file is made, what a crash may have left in its place is removed.
            .remove where path.isPageSegment && isThere(path) && isReferred(path):
            requireDurable("\(path) is removed") { $0.hasSuffix("/superblock") }
        default: break
        }
        if call.operation == .write, path.hasSuffix("/superblock") {
            state.withLock { $0.unreferred = [] }
        }
        if call.operation == .write || call.operation == .sync {
            state.withLock { _ = $0.inherited.remove(path) }
        }
    }

    private func isThere(_ path: String) -> Bool { disk.files.contains { $0.path == path } }

    /// Whether a superblock may refer to a page segment.
    private func isReferred(_ path: String) -> Bool {
        state.withLock { !$0.unreferred.contains(path) }
    }

    private func requireDurable(_ event: String, _ isNeeded: (String) -> Bool) {
        let needed = disk.unsyncedPaths.sorted().filter(isNeeded)
        state.withLock { state in
            let early = needed.first {
                !state.inherited.contains($0) && !($0.isLogSegment && $0 > state.newest)
            }
            guard let early, state.violation == nil else { return }
            state.violation = Violation("\(event) before \(early) is durable")
        }
    }
}

extension String {
    fileprivate var isLogSegment: Bool { hasSuffix(".log") }
    fileprivate var isPageSegment: Bool { hasSuffix(".pages") }
}
