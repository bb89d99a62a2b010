import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Hosts that are open, and find no image that they can read.
@Suite struct UnusableImagesTests {
    /// It ended with an error that advises to move its folder away, and applied nothing any more
    /// until it was reopened.
    @Test(arguments: [true, false])
    func aHostThatFindsDamagedImagesOnlyContinuesWithTheNextOne(isAhead: Bool) async throws {
        var options = ImageHost.Options()
        options.preparesInBackground = isAhead
        var realm = try ImagedRealm(options)
        try await realm.write()
        let broken = Mutex<Set<LogSlot>>([])
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            var part = try base.part(number, of: image)
            if broken.withLock({ $0.contains(image.slot) }) { part[part.count - 1] ^= 1 }
            return part
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        let before = host.version
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        broken.withLock { $0 = [newest.slot, older.slot] }
        for _ in 0..<3 {
            await #expect {
                try await host.store.refreshFromHosts()
            } throws: { error in
                if case StorageError.sharedLogTrimmed = error { true } else { false }
            }
        }
        // An open host tries again soon, and does not read what was damaged each time.
        #expect(log.parts(of: newest).count { $0 == 0 } <= 1)
        #expect(host.version == before && host.store.failure == nil)
        var rounds = 0
        while rounds < 500, try realm.images.first?.slot == newest.slot {
            rounds += 1
            try await realm.write(edits: 4)
            try realm.writer.store.makeImageIfDue()
        }
        try await host.store.refreshFromHosts()
        try await realm.checkGoingOn(host, files)
    }
}
