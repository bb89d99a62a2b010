import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// Where code goes on after it has waited for a store to open.
@Suite struct OpeningConcurrencyTests {
    /// An actor whose state only its own code may touch.
    private actor Opener {
        private(set) var opened = 0

        func open(_ configuration: Realm.Configuration) async throws -> Realm {
            preconditionIsolated()
            let realm = try await Realm.open(configuration)
            preconditionIsolated()
            opened += 1
            return realm
        }
    }

    /// Runs each job on a thread of its own, and knows its threads.
    private final class ThreadExecutor: TaskExecutor {
        private let threads = Mutex<Set<ObjectIdentifier>>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Platform.runOnThread {
                let thread = ObjectIdentifier(Thread.current)
                self.threads.withLock { _ = $0.insert(thread) }
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.threads.withLock { _ = $0.remove(thread) }
            }
        }

        /// Whether the caller runs on it.
        var isCurrent: Bool {
            let thread = ObjectIdentifier(Thread.current)
            return threads.withLock { $0.contains(thread) }
        }
    }

    private func checkWriting(_ realm: Realm) async throws {
        try await realm.write { tx in try tx.add(Mark()) }
        #expect(realm.objects(Mark.self).count == 1)
        try await realm.close()
    }

    private func withConfiguration(
        _ body: (Realm.Configuration) async throws -> Void
    ) async throws {
        try await withStorePath { path in
            try await body(.init(path: path, objectTypes: [Mark.self], writeTimeout: nil))
        }
    }

    @Test func anActorGoesOnAsItself() async throws {
        try await withConfiguration { configuration in
            let opener = Opener()
            // Made first, then found in the files.
            for _ in 0..<2 {
                let realm = try await opener.open(configuration)
                try await realm.close()
            }
            #expect(await opener.opened == 2)
        }
    }

    @Test @MainActor func theMainActorGoesOnAsItself() async throws {
        try await withConfiguration { configuration in
            MainActor.assertIsolated()
            let realm = try await Realm.open(configuration)
            MainActor.assertIsolated()
            try await checkWriting(realm)
        }
    }

    @Test func aTaskGoesOnWithItsExecutor() async throws {
        try await withConfiguration { configuration in
            let executor = ThreadExecutor()
            let realm = try await withTaskExecutorPreference(executor) {
                #expect(executor.isCurrent)
                let realm = try await Realm.open(configuration)
                #expect(executor.isCurrent)
                return realm
            }
            #expect(!executor.isCurrent)
            try await checkWriting(realm)
        }
    }

    @Test func tasksOpenManyStoresAtOnce() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<40 {
                group.addTask {
                    try await withConfiguration { configuration in
                        try await checkWriting(try await Realm.open(configuration))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
