import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// First openings of a realm on a shared log that were killed before they had read anything.
@Suite struct KilledOpeningTests {
    /// The folder was created with the key of that opening, and could not be opened with any other.
    @Test(.enabled(if: SecretKey.isAvailable), arguments: [true, false])
    func theKeyOfAKilledOpeningDoesNotStay(isEncrypted: Bool) async throws {
        var options = ImageHost.Options()
        options.key = isEncrypted ? .first : nil
        var realm = try ImagedRealm(options)
        try await realm.write()
        let wrong: [UserKey?] = isEncrypted ? [UserKey.first?.other, nil] : [.first]
        for key in wrong {
            let disk = try Self.killedOpening(of: realm, with: key)
            let host = try realm.open(disk)
            try realm.check(host)
            try await host.store.close()
            // From here on, the key is that of the realm.
            options.key = key
            #expect(throws: StorageError.self) {
                _ = try ImageHost(MemorySharedLog(realm.engine), disk, options)
            }
            let again = try realm.open(disk)
            try realm.check(again)
            try await again.store.close()
        }
        try await realm.writer.store.close()
    }

    /// A copy for an image, left by a host that was killed while it created it, occupied its space
    /// until the host created the next image; other hosts may have done that each time.
    @Test func theNextOpeningRemovesWhatIsLeftOfImages() async throws {
        var realm = try ImagedRealm()
        try await realm.write()
        let disk = SimulatedDisk()
        let host = try realm.open(disk)
        try await host.store.close()
        for name in StoreDirectory.imageNames {
            var copy = StoreCopy(
                of: realm.writer.store.engine.latest, to: disk,
                directory: ImageHost.directory + "/" + name)
            copy.preparesInBackground = false
            try copy.fill()
        }
        let again = try realm.open(disk)
        let names = try disk.list(ImageHost.directory)
        #expect(Set(names).isDisjoint(with: StoreDirectory.imageNames))
        try realm.check(again)
        for host in [again, realm.writer] { try await host.store.close() }
    }

    /// The disk after an opening that is killed once it has detected that its key is wrong.
    private static func killedOpening(
        of realm: ImagedRealm, with key: UserKey?
    ) throws -> SimulatedDisk {
        var options = ImageHost.Options()
        options.key = key
        let disk = SimulatedDisk()
        let left = Mutex<SimulatedDisk?>(nil)
        disk.observe { [disk] call in
            guard call.moment == .before, call.operation == .rename,
                call.path == ImageHost.directory + "/" + StoreDirectory.superblockName
            else { return }
            let image = disk.crashImage(seed: 1, .everything)
            left.withLock { $0 = image }
        }
        #expect(throws: StorageError.self) {
            _ = try ImageHost(MemorySharedLog(realm.engine), disk, options)
        }
        disk.observe(nil)
        let found = left.withLock { $0 }
        return try #require(found)
    }
}
