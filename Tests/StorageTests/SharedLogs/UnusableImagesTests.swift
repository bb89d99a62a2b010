import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Open hosts that find no readable image.
@Suite struct UnusableImagesTests {
    /// Following ended with an error that recommends moving the folder away, and nothing was
    /// applied any more until the realm was reopened.
    @Test(arguments: [true, false])
    func aHostWithDamagedImagesUsesTheNextOne(isAhead: Bool) async throws {
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
        // An open host retries soon, without reading the damaged image each time.
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

    /// A new host tried only the newest image, again and again, and could not open the realm.
    @Test(arguments: [true, false])
    func anImageThatLacksAPartIsSkipped(isAhead: Bool) async throws {
        var options = ImageHost.Options()
        options.preparesInBackground = isAhead
        var realm = try ImagedRealm(options)
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        try #require(newest.parts > 2)
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            if image == newest, number == 2 { throw .trimmed(first: older.slot) }
            return try base.part(number, of: image)
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        #expect(log.parts(of: newest).count { $0 == 2 } <= 2)
        #expect(!log.parts(of: older).isEmpty)
        try await realm.checkGoingOn(host, files)
    }
}
