import Dispatch
import Foundation
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// A host that begins with an image has the same contents as the host that created the image.
@Suite struct AdoptedContentsTests {
    private static func options(
        key: UserKey? = nil, preparesInBackground: Bool = false
    ) -> ImageHost.Options {
        var options = ImageHost.Options()
        options.key = key
        options.preparesInBackground = preparesInBackground
        return options
    }

    // MARK: Adopting

    @Test(arguments: [true, false])
    func manyPageFilesAreAdopted(preparesInBackground: Bool) async throws {
        var realm = try ImagedRealm(Self.options(preparesInBackground: preparesInBackground))
        try await realm.fill(100)
        try await realm.makeImages()
        try realm.trim()
        try await realm.write()
        let image = try #require(try realm.images.first)
        let log = ChangedLog(MemorySharedLog(realm.engine))
        let files = CopyNoter()
        let host = try realm.open(files, through: log)
        #expect(!files.hasCopied)
        #expect(ImageHost.pageFiles(files).count > 2)
        // Each part was read once, by either thread.
        #expect(log.parts(of: image) == Array(0..<image.parts))
        #expect(try Self.holdsText(files))
        try await realm.checkGoingOn(host, files)
    }

    /// The page files are equal except for the headers, which have the database of each folder.
    @Test func readingAheadMakesTheSamePageFiles() async throws {
        var realm = try ImagedRealm()
        try await realm.fill(30)
        try await realm.makeImages()
        try realm.trim()
        var folders: [[String: [UInt8]]] = []
        for isAhead in [true, false] {
            let files = MemoryFileSystem()
            let host = try ImageHost(
                MemorySharedLog(realm.engine), files,
                Self.options(preparesInBackground: isAhead))
            var nodes: [String: [UInt8]] = [:]
            for path in ImageHost.pageFiles(files) {
                nodes[path] = Array(try files.bytes(of: path).dropFirst(PageSegmentHeader.size))
            }
            folders.append(nodes)
            try realm.check(host)
            try await host.store.close()
        }
        #expect(folders[0].count > 1)
        let areSame = folders[0] == folders[1]
        #expect(areSame)
        try await realm.writer.store.close()
    }

    /// A host without models has read no more than the first entry of the log.
    @Test(arguments: SharedImagePartTests.keys, [true, false])
    func anOpenHostAtVersionZeroLoadsTheImage(
        key: UserKey?, preparesInBackground: Bool
    ) async throws {
        let engine = MemorySharedLog.Engine()
        let options = Self.options(key: key, preparesInBackground: preparesInBackground)
        let files = CopyNoter()
        let host = try ImageHost(
            MemorySharedLog(engine), files, options, schema: StoreSchema())
        #expect(host.version == .zero)
        let before = host.store.engine.latest
        var realm = try ImagedRealm(options, on: engine)
        try await realm.makeImages()
        try realm.trim()
        try await realm.write()
        try await host.store.refreshFromHosts()
        #expect(files.hasCopied == (key != nil))
        // A reader that holds the previous version keeps seeing it.
        let isEmpty = withExtendedLifetime(before) { before.view.schema.classes.isEmpty }
        #expect(isEmpty)
        try await realm.checkGoingOn(host, files)
    }

    // MARK: Copying

    @Test(.enabled(if: SecretKey.isAvailable), arguments: [true, false])
    func aHostOfAnEncryptedRealmCopies(preparesInBackground: Bool) async throws {
        let options = Self.options(key: .first, preparesInBackground: preparesInBackground)
        var realm = try ImagedRealm(options)
        try await realm.fill(30)
        try await realm.makeImages()
        try realm.trim()
        try await realm.write()
        let files = CopyNoter()
        let host = try realm.open(files)
        #expect(files.hasCopied)
        #expect(try !files.list(ImageHost.directory).contains(StoreDirectory.imageName))
        let paths = ImageHost.pageFiles(files)
        #expect(!paths.isEmpty)
        for path in paths {
            let bytes = try files.bytes(of: path)
            // Unsafe: lent for the call.
            let header = try #require(bytes.withUnsafeBytes { PageSegmentHeader($0) })
            #expect(header.algorithm == .aes256GCM)
            #expect(header.database == host.journal.local.database)
        }
        try await realm.checkGoingOn(host, files)
        #expect(try !Self.holdsText(files))
    }

    /// Whether the long texts of the realm are readable in the files of a folder.
    private static func holdsText(_ files: any FileSystem) throws -> Bool {
        let text = Data(ImagedRealm.marker.utf8)
        for folder in ["", "/log", "/pages"] {
            let path = ImageHost.directory + folder
            for name in try files.list(path) where !StoreDirectory.folderNames.contains(name) {
                let bytes = Data(try files.bytes(of: path + "/" + name))
                if bytes.range(of: text) != nil { return true }
            }
        }
        return false
    }

    // MARK: Keys

    /// The folder was created with the first key that was given, and later refused the realm's key.
    @Test(.enabled(if: SecretKey.isAvailable), arguments: [true, false])
    func afterAWrongKeyTheRightOneOpens(hasImage: Bool) async throws {
        for key in [UserKey.first, nil] {
            var realm = try ImagedRealm(Self.options(key: key))
            if hasImage {
                try await realm.makeImages()
                try realm.trim()
            }
            try await realm.write()
            let wrong: [UserKey?] = key == nil ? [.first] : [UserKey.first?.other, nil]
            for other in wrong {
                let files = MemoryFileSystem()
                let options = Self.options(key: other)
                #expect {
                    _ = try ImageHost(MemorySharedLog(realm.engine), files, options)
                } throws: { error in
                    switch error {
                    case StorageError.wrongKey, StorageError.keyMissing, StorageError.notEncrypted:
                        true
                    default: false
                    }
                }
                // Neither does a key that was given while the log could not be reached.
                #expect {
                    let log = UnreachableLog(MemorySharedLog(realm.engine))
                    _ = try ImageHost(log, files, options)
                } throws: { error in
                    if case StorageError.sharedLogUnavailable = error { true } else { false }
                }
                let host = try realm.open(files)
                try realm.check(host)
                try await host.store.close()
            }
            try await realm.writer.store.close()
        }
    }

    /// Its contents were sealed with the right key.
    @Test(.enabled(if: SecretKey.isAvailable))
    func aFolderWithContentsIsKeptWithAWrongKey() async throws {
        let options = Self.options(key: .first)
        var realm = try ImagedRealm(options)
        try await realm.makeImages()
        let files = MemoryFileSystem()
        try await realm.open(files).store.close()
        let wrong = Self.options(key: UserKey.first?.other)
        #expect(throws: StorageError.wrongKey(path: ImageHost.directory)) {
            try ImageHost(MemorySharedLog(realm.engine), files, wrong)
        }
        #expect(try ImageHost.contents(files, options)?.version == realm.writer.version)
        try await realm.checkGoingOn(realm.open(files), files)
    }

    /// They may be all that is left of a realm whose log was lost, at a path that was chosen by
    /// mistake.
    @Test func pageFilesWithoutALogStayWhereAFirstOpeningFails() throws {
        let files = MemoryFileSystem()
        for folder in [ImageHost.directory, ImageHost.directory + "/pages"] {
            try files.createDirectory(folder)
        }
        let path = ImageHost.directory + "/pages/" + PageIndex(1).fileName
        _ = try files.open(path, .create)
        let log = UnreachableLog(MemorySharedLog(MemorySharedLog.Engine()))
        #expect(throws: StorageError.self) {
            _ = try ImageHost(log, files, ImageHost.Options())
        }
        #expect(ImageHost.pageFiles(files) == [path])
    }

    // MARK: Concurrent writes

    @Test(arguments: [true, false])
    func commitsDuringAnImageAreAfterIt(preparesInBackground: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        let log = PausedLog(MemorySharedLog(engine))
        var realm = try ImagedRealm(
            Self.options(preparesInBackground: preparesInBackground), on: engine, through: log)
        while !realm.isImageDue { try await realm.write(edits: 4) }
        try await realm.makePassingRows()
        let imaged = realm.writer.version
        let reached = EndSignal()
        log.pause { reached.finish() }
        let store = realm.writer.store
        let making = Task {
            // Also if no part is read.
            defer { reached.finish() }
            try await BlockingWork.run { try store.makeImageIfDue() }
        }
        defer { log.resume() }
        await reached.wait()
        for _ in 0..<4 { try await realm.write(edits: 3) }
        log.resume()
        try await making.value
        let image = try #require(try realm.images.first)
        #expect(try realm.version(of: image) == imaged)
        #expect(realm.writer.version > imaged)
        try realm.trim()
        let files = CopyNoter()
        let host = try realm.open(files)
        #expect(!files.hasCopied)
        try await realm.checkGoingOn(host, files)
    }
}

/// A log whose images cannot be listed.
private final class UnreachableLog: WrappedLog {
    let base: any SharedLog

    init(_ base: any SharedLog) { self.base = base }

    func images() throws(SharedLogError) -> [SharedLogImage] { throw .unavailable("cut off") }
}

/// A log that pauses between the parts of an image that is added.
private final class PausedLog: WrappedLog {
    let base: any SharedLog
    private let onPause = Mutex<(@Sendable () -> Void)?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ base: any SharedLog) { self.base = base }

    /// Calls `onPause` before the second part of the next image, and then waits for ``resume()``.
    func pause(_ onPause: @escaping @Sendable () -> Void) {
        self.onPause.withLock { $0 = onPause }
    }

    func resume() { end.signal() }

    func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
        var number = 0
        try base.addImage(image) {
            number += 1
            if number == 2 { waitIfPaused() }
            return try part()
        }
    }

    private func waitIfPaused() {
        let pause = onPause.withLock { pause in
            defer { pause = nil }
            return pause
        }
        guard let pause else { return }
        pause()
        end.wait()
    }
}
