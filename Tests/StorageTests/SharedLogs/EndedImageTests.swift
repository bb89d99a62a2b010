import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Images whose readers are cancelled.
@Suite struct EndedImageTests {
    private static func options(_ isAhead: Bool) -> ImageHost.Options {
        var options = ImageHost.Options()
        options.preparesInBackground = isAhead
        return options
    }

    /// Closing waited for the whole image.
    @Test(arguments: [true, false])
    func aHostThatIsClosedReadsNoMoreOfAnImage(isAhead: Bool) async throws {
        var realm = try ImagedRealm(Self.options(isAhead))
        try await realm.write()
        let reader = Mutex<SharedJournal?>(nil)
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            let journal = reader.withLock { $0 }
            if number == 2 { journal?.stopWaiting() }
            return try base.part(number, of: image)
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        let (newest, _) = try await realm.makeTwoImages(filling: 30)
        try #require(newest.parts > 6)
        reader.withLock { $0 = host.journal }
        await #expect {
            try await host.store.refreshFromHosts()
        } throws: { error in
            if case StorageError.closed = error { true } else { false }
        }
        let read = log.parts(of: newest)
        #expect(read.contains(2) && (read.max() ?? 0) <= 3)
        reader.withLock { $0 = nil }
        try await host.store.close()
        let again = try realm.open(files)
        try await realm.checkGoingOn(again, files)
    }

    /// Cancelling took effect only after the whole image was read.
    @Test func aRestoreThatIsCancelledReadsNoMoreOfAnImage() async throws {
        var realm = try ImagedRealm()
        let (newest, _) = try await realm.makeTwoImages(filling: 30)
        try #require(newest.parts > 6)
        let monitor = ReadingMonitor()
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            if number == 2 { monitor.cancel() }
            return try base.part(number, of: image)
        }
        let files = MemoryFileSystem()
        let restore = SharedLogRestore(
            of: SharedRealm(log, key: nil, timeout: nil), asOf: .newest, to: ImageHost.directory,
            files)
        #expect(throws: CancellationError.self) { try restore.run(monitor) }
        #expect((log.parts(of: newest).max() ?? 0) <= 3)
        #expect(throws: StorageError.self) { try files.list(ImageHost.directory) }
        try await realm.writer.store.close()
    }

    /// Without a timeout it retried forever.
    @Test func aRestoreThatIsCancelledWaitsForNoEngine() async throws {
        var realm = try ImagedRealm()
        let (newest, _) = try await realm.makeTwoImages(filling: 30)
        let monitor = ReadingMonitor()
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            guard image == newest, number == 2 else { return try base.part(number, of: image) }
            monitor.cancel()
            throw .unavailable("cut off")
        }
        let restore = SharedLogRestore(
            of: SharedRealm(log, key: nil, timeout: nil), asOf: .newest, to: ImageHost.directory,
            MemoryFileSystem())
        #expect(throws: CancellationError.self) { try restore.run(monitor) }
        try await realm.writer.store.close()
    }
}
