import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Images of an encrypted realm, with parts that somebody without the key has changed, and valid
/// checksums. The first part is the header.
@Suite(.enabled(if: SecretKey.isAvailable)) struct ForgedPartTests {
    private static func makeRealm() throws -> ImagedRealm {
        var options = ImageHost.Options()
        options.key = UserKey.first
        return try ImagedRealm(options)
    }

    /// The same part with another last byte.
    private static func forged(_ part: [UInt8]) -> [UInt8] {
        var part = part
        part[part.count - 1] ^= 1
        // Unsafe: lent for the call, and longer than a header.
        part.withUnsafeMutableBytes { bytes in
            let found = UnsafeRawBufferPointer(bytes)
            let contents = found.slice(SharedImagePart.headerSize..<found.count)
            bytes.store(XXH64.hash(contents, seed: XXH64.hash(found.slice(0..<56))), at: 56)
        }
        return part
    }

    /// The change was reported as a wrong key, although the key had opened everything that was read
    /// before: the host did not try the previous image, as it does for a damaged one.
    @Test(arguments: [0, 1]) func anOpenHostContinuesWithAnOlderImage(first: Int) async throws {
        var realm = try Self.makeRealm()
        try await realm.write()
        let changed = Mutex<LogSlot?>(nil)
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            let part = try base.part(number, of: image)
            let slot = changed.withLock { $0 }
            return number >= first && image.slot == slot ? Self.forged(part) : part
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        let (newest, _) = try await realm.makeTwoImages(filling: 30)
        changed.withLock { $0 = newest.slot }
        try await host.store.refreshFromHosts()
        #expect(log.parts(of: newest).contains(first))
        try await realm.checkGoingOn(host, files)
    }

    /// The key has opened the header.
    @Test func aNewHostBeginsWithAnOlderImage() async throws {
        var realm = try Self.makeRealm()
        let (newest, _) = try await realm.makeTwoImages(filling: 30)
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            let part = try base.part(number, of: image)
            return number > 0 && image.slot == newest.slot ? Self.forged(part) : part
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        #expect(log.parts(of: newest).contains(1))
        try await realm.checkGoingOn(host, files)
    }
}
