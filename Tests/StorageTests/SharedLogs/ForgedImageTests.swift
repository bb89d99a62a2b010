import StorageHarness
import Testing

@testable import Storage

/// Images with forged files, in valid parts and with valid sizes.
@Suite struct ForgedImageTests {
    enum Forgery: CaseIterable, Sendable {
        case hasNoFiles, lacksSuperblock, repeatsSuperblock, lacksPageFile, lacksEndOfPageFile,
            emptiesPageFile, repeatsPageFile, renamesPageFile, mixesDatabases, isOfAnotherDatabase,
            isEncrypted, movesNodes

        fileprivate func change(_ image: inout ForgedImage) throws {
            let pages = image.files.indices.filter { image.files[$0].name.hasPrefix("pages/") }
            let place = image.files.firstIndex { $0.name == StoreDirectory.superblockName }
            guard let first = pages.first, let last = pages.last, first < last,
                let superblock = place
            else { throw Violation("the image has not the files that are to be changed") }
            let starts = Self.nodes(image.files[first].bytes)
            try #require(starts.count > 1)
            switch self {
            case .hasNoFiles: image.files = []
            case .lacksSuperblock: image.files.remove(at: superblock)
            case .repeatsSuperblock: image.files.append(image.files[superblock])
            case .lacksPageFile: image.files.remove(at: first)
            case .lacksEndOfPageFile:
                image.files[first].bytes.removeSubrange(starts[starts.count - 1]...)
            case .emptiesPageFile: image.files[first].bytes = []
            case .repeatsPageFile: image.files.append(image.files[first])
            case .renamesPageFile: image.files[first].name = "pages/" + PageIndex(9_999).fileName
            case .mixesDatabases: Self.changeDatabase(ofPages: &image.files[last].bytes)
            case .isOfAnotherDatabase:
                try Self.changeSuperblock(&image.files[superblock].bytes) {
                    $0.database = .random()
                }
            case .isEncrypted:
                try Self.changeSuperblock(&image.files[superblock].bytes) {
                    $0.algorithm = .aes256GCM
                }
            case .movesNodes:
                let bytes = image.files[first].bytes
                let moved = bytes[starts[1]...] + bytes[starts[0]..<starts[1]]
                image.files[first].bytes = Array(bytes[..<starts[0]] + moved)
            }
        }

        /// The offsets of the nodes of a page file.
        private static func nodes(_ bytes: [UInt8]) -> [Int] {
            var starts: [Int] = []
            var offset = PageSegmentHeader.size
            while offset < bytes.count {
                starts.append(offset)
                let field = offset + 8
                // Unsafe: lent for the call.
                let length = bytes.withUnsafeBytes { $0.integer(at: field, as: UInt32.self) }
                offset += Int(length)
            }
            return starts
        }

        private static func changeDatabase(ofPages bytes: inout [UInt8]) {
            // Unsafe: lent for the call, and longer than a header.
            bytes.withUnsafeMutableBytes { bytes in
                guard var header = PageSegmentHeader(UnsafeRawBufferPointer(bytes)) else { return }
                header.database = .random()
                header.encode(into: bytes.slice(0..<PageSegmentHeader.size))
            }
        }

        private static func changeSuperblock(
            _ bytes: inout [UInt8], _ edit: (inout Superblock) -> Void
        ) throws {
            // Unsafe: lent for the call.
            guard case .valid(var found) = bytes.withUnsafeBytes({ SuperblockReading($0) }) else {
                throw Violation("the superblock of the image is no such one")
            }
            edit(&found)
            let changed = found
            // Unsafe: lent for the call, and as long as a superblock file is.
            bytes.withUnsafeMutableBytes { bytes in
                bytes.fillWithZeros()
                let end = changed.offset + 2 * Superblock.slotSize
                changed.encode(into: bytes.slice(changed.offset..<end))
            }
        }
    }

    /// Reassembles an image without changes: later tests then detect only the forgery.
    @Test func aReassembledImageIsEqual() async throws {
        var realm = try ImagedRealm()
        try await realm.fill(30)
        try await realm.makeImages()
        try realm.trim()
        let image = try #require(try realm.images.first)
        let log = MemorySharedLog(realm.engine)
        let forged = try ForgedImage(image, in: log, partBytes: 777)
        let files = CopyNoter()
        let host = try realm.open(files, through: ForgingLog(log, forged))
        #expect(!files.hasCopied)
        try await realm.checkGoingOn(host, files)
    }

    @Test func aForgedImageIsNeverAdopted() async throws {
        var realm = try ImagedRealm()
        try await realm.fill(30)
        try await realm.makeImages(2)
        try await realm.write()
        let images = try realm.images
        let (newest, older) = (images[0], images[1])
        for forgery in Forgery.allCases {
            let log = MemorySharedLog(realm.engine)
            var forged = try ForgedImage(newest, in: log, partBytes: 1 << 12)
            try forgery.change(&forged)
            let changed = ChangedLog(ForgingLog(log, forged))
            let files = CopyNoter()
            let host = try realm.open(files, through: changed)
            try realm.check(host, "\(forgery)")
            #expect(!files.hasCopied, "\(forgery)")
            #expect(changed.parts(of: older).count == older.parts, "\(forgery)")
            // Nothing of the other image is left.
            let known = try #require(host.store.engine.checkpoints?.checkpointer.contents.segments)
            let names = known.keys.map { $0.fileName }
            let listed = try files.list(ImageHost.directory + "/pages")
            #expect(Set(listed) == Set(names), "\(forgery)")
            try await host.store.close()
        }
        try await realm.writer.store.close()
    }

    /// A host with a tree could not be opened: the realm's key seemed to be missing.
    @Test func aForgedImageOfAnEncryptedRealmIsNotCopied() async throws {
        var realm = try ImagedRealm()
        try await realm.write()
        let files = CopyNoter()
        let before = try realm.open(files)
        try await before.store.close()
        let (newest, older) = try await realm.makeTwoImages(filling: 30)
        let log = MemorySharedLog(realm.engine)
        var forged = try ForgedImage(newest, in: log, partBytes: 1 << 12)
        try Forgery.isEncrypted.change(&forged)
        let changed = ChangedLog(ForgingLog(log, forged))
        let host = try realm.open(files, through: changed)
        #expect(files.hasCopied && !changed.parts(of: older).isEmpty)
        try await realm.checkGoingOn(host, files)
    }
}

/// The files of an image in the hands of an attacker who corrects all checksums and sizes around
/// them.
private struct ForgedImage {
    var files: [(name: String, bytes: [UInt8])] = []
    private let header: SharedImageHeader
    private let realm: Bits128
    let slot: LogSlot
    private let partBytes: Int

    init(_ image: SharedLogImage, in log: any SharedLog, partBytes: Int) throws {
        let parts = try (0..<image.parts).map { number in
            try SharedImagePart(decoding: try log.part(number, of: image), nil)
        }
        let contents = parts.map { Array($0.contents.dropFirst(SharedImageWriter.idSize)) }
        header = try #require(SharedImageHeader(decoding: contents[0]))
        realm = parts[0].realm
        slot = image.slot
        self.partBytes = partBytes
        let stream = contents.dropFirst().flatMap { $0 }
        var offset = 0
        while offset < stream.count {
            let name = offset + SharedImageWriter.headSizeMin
            let start = name + Self.number(stream[offset..<offset + 2])
            let end = start + Self.number(stream[offset + 2..<name])
            files.append(
                (String(decoding: stream[name..<start], as: UTF8.self), Array(stream[start..<end]))
            )
            offset = end
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func bytes(_ number: Int, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// The parts that an engine stores.
    var parts: [[UInt8]] {
        var stream: [UInt8] = []
        for (name, bytes) in files {
            stream += Self.bytes(name.utf8.count, count: 2) + Self.bytes(bytes.count, count: 8)
            stream += Array(name.utf8) + bytes
        }
        var header = header
        header.length = stream.count
        var contents = [header.encoded]
        for start in stride(from: 0, to: stream.count, by: partBytes) {
            contents.append(Array(stream[start..<min(start + partBytes, stream.count)]))
        }
        return contents.enumerated().map { number, contents in
            SharedImagePart(
                realm: realm, slot: slot, number: UInt64(number),
                contents: header.id.bytes + contents
            ).encoded(nil)
        }
    }
}

/// A log with a forged image that replaces the one of the same slot.
private final class ForgingLog: WrappedLog {
    let base: any SharedLog
    private let image: SharedLogImage
    private let parts: [[UInt8]]

    init(_ base: any SharedLog, _ forged: ForgedImage) {
        let parts = forged.parts
        self.base = base
        self.parts = parts
        image = SharedLogImage(
            slot: forged.slot, parts: parts.count,
            bytes: parts.reduce(0) { $0 + $1.count })
    }

    func images() throws(SharedLogError) -> [SharedLogImage] {
        try base.images().map { $0.slot == image.slot ? image : $0 }
    }

    func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        guard image.slot == self.image.slot else { return try base.part(number, of: image) }
        return parts[number]
    }
}
