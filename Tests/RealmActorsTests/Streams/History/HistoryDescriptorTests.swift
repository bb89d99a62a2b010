import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Streams of commits in a process that has no descriptor left for a while.
@Suite struct HistoryDescriptorTests {
    /// The stream threw, and had ended, although nothing of the log was lost.
    @Test func aStreamGoesOnWhenThereAreDescriptors() async throws {
        let refusals = Atomic<Int>(0)
        let files = RefusingFiles(SimulatedDisk()) { path, mode in
            guard path.hasSuffix(".log"), mode == .readOnly else { return nil }
            refusals.wrappingAdd(1, ordering: .relaxed)
            return .io(operation: .open, path: path, errno: 24)
        }
        var configuration = Realm.Configuration(
            path: "/history-\(UUID().uuidString).realm", objectTypes: historyTypes,
            history: .keep(bytes: 16 << 20))
        configuration.fileSystem = files
        let realm = try await Realm.open(configuration)
        let token = realm.snapshot().changeToken
        try await realm.addDog(1)
        files.isRefusing = true
        let reading = Task {
            var commits = realm.commits(since: token).makeAsyncIterator()
            return try await take(1, &commits).count
        }
        let isRefused = await soon { refusals.load(ordering: .relaxed) > 0 }
        #expect(isRefused)
        files.isRefusing = false
        #expect(try await reading.value == 1)
        try await realm.close()
    }
}
