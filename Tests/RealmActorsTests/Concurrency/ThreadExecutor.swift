import Foundation
import Storage
import Synchronization

/// Runs its jobs one after another on a thread of its own.
final class ThreadExecutor: SerialExecutor {
    private let condition = NSCondition()
    private let jobs = Mutex<[UnownedJob]>([])

    private static let name = "a ThreadExecutor"

    init() {
        // The thread and its executor last as long as the tests.
        let thread = Thread {
            Thread.current.threadDictionary[Self.name] = ObjectIdentifier(self)
            while true { self.next().runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
        thread.start()
    }

    /// Whether the caller runs on the thread.
    var isCurrent: Bool {
        Thread.current.threadDictionary[Self.name] as? ObjectIdentifier == ObjectIdentifier(self)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        condition.lock()
        condition.signal()
        condition.unlock()
    }

    private func next() -> UnownedJob {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let job { return job }
            condition.wait()
        }
    }
}
