import Storage
import Synchronization

/// Reports the progress of a migration, and carries its cancellation.
final class MigrationMonitor: Sendable {
    private let reading = ReadingMonitor()
    private let progress: (@Sendable (MigrationProgress) -> Void)?
    private let step = Mutex<String?>(nil)

    init(_ progress: (@Sendable (MigrationProgress) -> Void)?) { self.progress = progress }

    func cancel() { reading.cancel() }

    func check() throws(CancellationError) { try reading.check() }

    func begin(_ step: MigrationStep) { self.step.withLock { $0 = step.name } }

    func report(_ className: String, _ completed: Int, of total: Int) {
        guard let progress else { return }
        progress(
            MigrationProgress(
                step: step.withLock { $0 }, className: className, completed: completed,
                total: total))
    }
}
