package import Storage
import Synchronization

/// Watches the calls of a store on a simulated disk and notes what is done too early: nothing may
/// point at what is not yet durable.
package final class OrderChecker: Sendable {
    private let disk: SimulatedDisk
    /// Whether versions are published when they are written.
    private let isRelaxed: Bool
    private let violation = Mutex<Violation?>(nil)

    /// Watches from now on, until ``finish()``.
    package init(
        _ disk: SimulatedDisk, isRelaxed: Bool = false, trace: (@Sendable (String) -> Void)? = nil
    ) {
        self.disk = disk
        self.isRelaxed = isRelaxed
        disk.observe { [weak self] call in
            guard call.moment == .before else { return }
            trace?("\(call.operation.rawValue) \(call.path)")
            self?.check(call)
        }
    }

    /// A version becomes visible now.
    package func published() {
        if !isRelaxed { requireDurable("a version is published", \.isLogSegment) }
    }

    /// Stops watching, and throws what was noted first.
    package func finish() throws {
        disk.observe(nil)
        if let violation = violation.withLock({ $0 }) { throw violation }
    }

    private func check(_ call: SimulatedDisk.Call) {
        let path = call.path
        switch call.operation {
        case .write where path.hasSuffix("/superblock"):
            requireDurable("\(path) is written") { $0.isLogSegment || $0.isPageSegment }
        case .write where path.hasSuffix("/horizon"):
            requireDurable("\(path) is written") { $0.isLogSegment && !isRelaxed }
        case .write where path.isLogSegment && !disk.unsyncedPaths.contains(path):
            // The header of a segment says where the one before it ends. What is written while the
            // segment is being made are zeros.
            requireDurable("\(path) is written") { $0.isLogSegment && $0 != path }
        case .remove where path.isLogSegment || path.isPageSegment:
            requireDurable("\(path) is removed") { $0.hasSuffix("/superblock") }
        default: break
        }
    }

    private func requireDurable(_ event: String, _ isNeeded: (String) -> Bool) {
        guard let path = disk.unsyncedPaths.sorted().first(where: isNeeded) else { return }
        violation.withLock { violation in
            if violation == nil { violation = Violation("\(event) before \(path) is durable") }
        }
    }
}

extension String {
    fileprivate var isLogSegment: Bool { hasSuffix(".log") }
    fileprivate var isPageSegment: Bool { hasSuffix(".pages") }
}
