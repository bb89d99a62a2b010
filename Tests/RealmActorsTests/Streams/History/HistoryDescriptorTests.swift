import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Streams of commits in a process that has no descriptor left for a while.
@Suite struct HistoryDescriptorTests {
    /// The stream threw, and had ended, although nothing of the log was lost.
    @Test func aStreamContinuesWhenThereAreDescriptors() async throws {
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

    /// Each kept the file open that it had read last: a service with a thousand of them had no
    /// descriptor left.
    @Test func streamsThatWaitKeepNoFileOpen() async throws {
        let files = OpenFileCounter(SimulatedDisk())
        let path = "/history-\(UUID().uuidString).realm"
        var configuration = Realm.Configuration(
            path: path, objectTypes: historyTypes, history: .keep(bytes: 16 << 20))
        configuration.fileSystem = files
        shortenLog(&configuration)
        let realm = try await Realm.open(configuration)
        let name = String(repeating: "x", count: 3_000)
        var waiting: [RealmChanges.AsyncIterator] = []
        for round in 0..<8 {
            var commits = realm.commits().makeAsyncIterator()
            for number in 0..<3 { try await realm.addDog(3 * round + number, name) }
            let taken = try await take(3, &commits)
            #expect(taken.count == 3)
            waiting.append(commits)
        }
        // Each stands in another segment; the writer has the newest open, and what comes next.
        #expect(files.openFiles(in: path + "/log") < 6)
        for (round, iterator) in waiting.enumerated() {
            var commits = iterator
            let due = 3 * (7 - round)
            let taken = try await take(due, &commits)
            #expect(taken.count == due)
        }
        try await realm.close()
    }
}
