import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Damaged images: hosts load the previous one, or report that there is none.
@Suite struct BrokenImageTests {
    private static func options(_ isAhead: Bool) -> ImageHost.Options {
        var options = ImageHost.Options()
        options.preparesInBackground = isAhead
        return options
    }

    // MARK: Parts

    /// The kinds of damage of a part.
    enum Damage: CaseIterable, Sendable {
        case flipped, torn, empty, short, long, ofAnotherPart, ofAnotherSlot, ofAnotherImage

        /// The part as it is read; `other` is a part of another image.
        func part(
            _ number: Int, of image: SharedLogImage, _ other: SharedLogImage,
            _ log: any SharedLog
        ) throws(SharedLogError) -> [UInt8] {
            var part = try log.part(number, of: image)
            let foreign = try log.part(min(number, other.parts - 1), of: other)
            switch self {
            case .flipped:
                part[part.count - 1] ^= 1
                return part
            case .torn: return Array(part.prefix(SharedImagePart.headerSize - 1))
            case .empty: return part.changingContents { $0 = [] }
            case .short: return part.changingContents { $0.removeLast(8) }
            case .long: return part.changingContents { $0 += [UInt8](repeating: 0, count: 8) }
            case .ofAnotherPart: return try log.part(number == 0 ? 1 : number - 1, of: image)
            case .ofAnotherSlot: return foreign
            case .ofAnotherImage:
                guard let decoded = try? SharedImagePart(decoding: foreign, nil) else {
                    return foreign
                }
                return part.changingContents { $0 = decoded.contents }
            }
        }
    }

    @Test(arguments: Damage.allCases, [true, false])
    func aHostBeginsWithTheImageBeforeTheBrokenOne(
        damage: Damage, isAhead: Bool
    ) async throws {
        var realm = try ImagedRealm(Self.options(isAhead))
        try await realm.fill(30)
        try await realm.makeImages(2)
        try await realm.write()
        let images = try realm.images
        let (newest, older) = (images[0], images[1])
        try #require(newest.parts > 6)
        // The page files are last.
        for broken in [0, 2, newest.parts - 3, newest.parts - 1] {
            let log = ChangedLog(MemorySharedLog(realm.engine)) {
                (number, image, base) throws(SharedLogError) in
                guard image == newest, number == broken else {
                    return try base.part(number, of: image)
                }
                return try damage.part(number, of: image, older, base)
            }
            let files = CopyNoter()
            let host = try realm.open(files, through: log)
            try realm.check(host, "part \(broken)")
            #expect(!files.hasCopied)
            // Parts after the broken one are not needed any more.
            let read = log.parts(of: newest)
            #expect(read.contains(broken))
            if damage != .short && damage != .long {
                #expect((read.last ?? 0) <= broken + (isAhead && broken > 0 ? 1 : 0))
            }
            #expect(log.parts(of: older) == Array(0..<older.parts))
            try await host.store.close()
        }
        try await realm.writer.store.close()
    }

    /// A thread that the host waits for read the next part endlessly.
    @Test func abandoningAnImageDoesNotWaitForItsRest() async throws {
        var options = Self.options(true)
        options.repetitions = nil
        var realm = try ImagedRealm(options)
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        try #require(newest.parts > 4)
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            if image == newest, number == 3 { throw .unavailable("cut off") }
            let part = try base.part(number, of: image)
            guard image == newest, number == 2 else { return part }
            return part.changingContents { $0[0] ^= 1 }
        }
        let files = MemoryFileSystem()
        let host = try realm.open(files, through: log)
        #expect(log.parts(of: newest).contains(3))
        #expect(log.parts(of: older) == Array(0..<older.parts))
        try await realm.checkGoingOn(host, files)
    }

    /// The engine does not have all of the image.
    @Test(arguments: [true, false])
    func aMissingPartMeansThatThereIsNoImage(isAhead: Bool) async throws {
        var realm = try ImagedRealm(Self.options(isAhead))
        try await realm.makeImages()
        try realm.trim()
        let image = try #require(try realm.images.first)
        let files = CopyNoter()
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            if number == 2 { throw .trimmed(first: image.slot) }
            return try base.part(number, of: image)
        }
        #expect(throws: StorageError.sharedLogTrimmed(first: image.slot.rawValue)) {
            try realm.open(files, through: log)
        }
        #expect(log.parts(of: image).contains(2))
        #expect(ImageHost.pageFiles(files).isEmpty)
        let host = try realm.open(files)
        #expect(!files.hasCopied)
        try await realm.checkGoingOn(host, files)
    }

    /// A host that copies an image allocates the space first, and reported that its disk was full.
    @Test func anImageLongerThanItsPartsIsDamaged() async throws {
        var realm = try ImagedRealm()
        try await realm.write()
        let disk = SimulatedDisk()
        let before = try realm.open(disk)
        try await before.store.close()
        let (newest, older) = try await realm.makeTwoImages()
        let log = ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            let part = try base.part(number, of: image)
            guard image == newest, number == 0 else { return part }
            // The fourth byte of the length in the header: 256 MiB more.
            return part.changingContents { $0[SharedImageWriter.idSize + 35] ^= 0x10 }
        }
        disk.limit(to: disk.usedBytes + (64 << 20))
        let host = try realm.open(disk, through: log)
        disk.limit(to: nil)
        #expect(Set(log.parts(of: newest)) == [0])
        #expect(log.parts(of: older).count >= older.parts)
        try await realm.checkGoingOn(host, disk)
    }

    // MARK: Nodes

    /// A log whose newest image has one changed bit, with valid checksums of its part.
    private static func log(
        _ realm: ImagedRealm, _ newest: SharedLogImage, damagedIn broken: Int
    ) -> ChangedLog {
        let key = realm.options.key
        return ChangedLog(MemorySharedLog(realm.engine)) {
            (number, image, base) throws(SharedLogError) in
            let part = try base.part(number, of: image)
            guard image == newest, number == broken else { return part }
            return part.changingContents(sealedWith: key) { $0[$0.count / 2] ^= 0x10 }
        }
    }

    /// The host reported that its own folder was corrupted, and could not continue.
    @Test(arguments: SharedImagePartTests.keys)
    func aCopyingHostUsesTheImageBeforeADamagedOne(key: UserKey?) async throws {
        var options = ImageHost.Options()
        options.key = key
        var realm = try ImagedRealm(options)
        try await realm.write()
        let disk = SimulatedDisk()
        let before = try realm.open(disk)
        try await before.store.close()
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        var refused = 0
        for broken in 1..<newest.parts {
            let log = Self.log(realm, newest, damagedIn: broken)
            let files = CopyNoter(disk.crashImage(seed: 1, .everything))
            let host = try realm.open(files, through: log)
            try realm.check(host, "part \(broken)")
            #expect(files.hasCopied)
            if !log.parts(of: older).isEmpty { refused += 1 }
            // Nothing of the other image is left.
            let known = try #require(host.store.engine.checkpoints?.checkpointer.contents.segments)
            let listed = try files.list(ImageHost.directory + "/pages")
            #expect(Set(listed) == Set(known.keys.map { $0.fileName }), "part \(broken)")
            let names = try files.list(ImageHost.directory)
            #expect(!names.contains(StoreDirectory.imageName), "part \(broken)")
            try await host.store.close()
        }
        // All changes except those in the log, and in the other copies of the superblock.
        #expect(refused > 2)
        try await realm.writer.store.close()
    }

    /// Loading ended with the damage, which is only detected after everything was copied.
    @Test(arguments: SharedImagePartTests.keys)
    func aRestoreTakesTheImageBeforeADamagedOne(key: UserKey?) async throws {
        var options = ImageHost.Options()
        options.key = key
        var realm = try ImagedRealm(options)
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        var refused = 0
        for broken in 1..<newest.parts {
            let log = Self.log(realm, newest, damagedIn: broken)
            var shared = SharedRealm(log, key: key, timeout: nil)
            shared.repetitions = 2
            let files = MemoryFileSystem()
            let restore = SharedLogRestore(
                of: shared, asOf: .newest, to: ImageHost.directory, files)
            #expect(try restore.run() == realm.writer.version, "part \(broken)")
            let isSame = try ImageHost.contents(files, options)?.rows == realm.writer.rows
            #expect(isSame, "part \(broken)")
            if !log.parts(of: older).isEmpty { refused += 1 }
        }
        #expect(refused > 2)
        // Without the other image, the host reports the damage.
        try realm.trim()
        var shared = SharedRealm(
            Self.log(realm, newest, damagedIn: newest.parts - 2), key: key, timeout: nil)
        shared.repetitions = 2
        let restore = SharedLogRestore(
            of: shared, asOf: .newest, to: ImageHost.directory, MemoryFileSystem())
        #expect {
            try restore.run()
        } throws: { error in
            if case StorageError.corrupted = error { true } else { false }
        }
        try await realm.writer.store.close()
    }

    // MARK: Trimming

    /// The log grew without limit: each image that was created found the previous one damaged.
    @Test func aDamagedImageDoesNotKeepTheLog() async throws {
        let engine = MemorySharedLog.Engine()
        let broken = Mutex<LogSlot?>(nil)
        let log = ChangedLog(MemorySharedLog(engine)) {
            (number, image, base) throws(SharedLogError) in
            var part = try base.part(number, of: image)
            if image.slot == broken.withLock({ $0 }) { part[part.count - 1] ^= 1 }
            return part
        }
        var realm = try ImagedRealm(on: engine, through: log)
        try await realm.makeImages()
        let slot = try #require(try realm.images.first).slot
        broken.withLock { $0 = slot }
        var rounds = 0
        while rounds < 500, try realm.images.contains(where: { $0.slot == slot }) {
            rounds += 1
            try await realm.write(edits: 4)
            try realm.writer.store.makeImageIfDue()
        }
        #expect(try realm.images.allSatisfy { $0.slot > slot })
        #expect(try MemorySharedLog(engine).head().first > slot)
        let files = MemoryFileSystem()
        try await realm.checkGoingOn(realm.open(files), files)
    }

    /// The host loads the newer image, and keeps nothing of the first one.
    @Test(arguments: [true, false])
    func anImageThatIsTrimmedWhileItIsReadMakesWayForTheNext(isAhead: Bool) async throws {
        var realm = try ImagedRealm(Self.options(isAhead))
        try await realm.makeImages(2)
        try await realm.write()
        let images = try realm.images
        let (newest, older) = (images[0], images[1])
        let log = TrimmingLog(MemorySharedLog(realm.engine), newest: newest.slot)
        let files = CopyNoter()
        let host = try realm.open(files, through: log)
        #expect(!files.hasCopied)
        #expect(try realm.images == [newest] && older.slot < newest.slot)
        let other = MemoryFileSystem()
        let reference = try realm.open(other)
        #expect(ImageHost.pageFiles(files) == ImageHost.pageFiles(other))
        try await reference.store.close()
        try await realm.checkGoingOn(host, files)
    }

    /// If all entries still exist, the host begins with the first of them.
    @Test(arguments: [true, false])
    func anImageThatIsRemovedWhileItIsReadIsNotNeeded(isAhead: Bool) async throws {
        var realm = try ImagedRealm(Self.options(isAhead))
        try await realm.makeImages()
        let log = TrimmingLog(MemorySharedLog(realm.engine), newest: nil)
        let files = CopyNoter()
        let host = try realm.open(files, through: log)
        #expect(try realm.images.isEmpty)
        #expect(ImageHost.pageFiles(files).isEmpty)
        try await realm.checkGoingOn(host, files)
    }
}

/// A log whose images are removed while the first of them is read.
private final class TrimmingLog: WrappedLog {
    let base: any SharedLog
    /// An image that is added meanwhile, and not removed.
    private let newest: LogSlot?
    private let isTrimmed = Atomic<Bool>(false)

    init(_ base: any SharedLog, newest: LogSlot?) {
        self.base = base
        self.newest = newest
    }

    func images() throws(SharedLogError) -> [SharedLogImage] {
        let images = try base.images()
        if isTrimmed.load(ordering: .acquiring) { return images }
        return images.filter { $0.slot != newest }
    }

    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        if number == 2, !isTrimmed.exchange(true, ordering: .acquiringAndReleasing) {
            try base.trim(below: newest ?? .first, imagesBelow: newest ?? LogSlot(.max))
        }
        return try base.part(number, of: image)
    }
}
