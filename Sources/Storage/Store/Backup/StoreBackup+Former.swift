extension StoreBackup {
    /// The folder of the previous backup.
    struct Former {
        private let store: StoreDirectory
        private let manifest: BackupManifest
        /// Its key file; nil in a plain store, and if it cannot be read.
        let key: [UInt8]?
        /// The key file with both copies taken from one that verifies; nil if neither does.
        let wholeKey: [UInt8]?

        /// How much of the end of a file is compared before it is extended.
        private static let comparedMax = 4096

        /// Reads the backup in a folder, whose lock the caller holds.
        ///
        /// Throws if it is no backup of the database, or was changed.
        init(_ store: StoreDirectory, of database: Bits128) throws(StorageError) {
            self.store = store
            let superblock = try Self.requireStore(store)
            guard superblock.database == database else {
                throw .invalid(
                    "'\(store.path)' is a copy of another realm, or one that was made with "
                        + "writeCopy. Choose another path.")
            }
            guard let manifest = try BackupManifest.read(from: store),
                manifest.database == database, try !Self.hasMore(store, than: manifest)
            else {
                throw .invalid(
                    "'\(store.path)' is no longer a backup: it was written to since, or the record "
                        + "of what was copied is damaged. Choose another path.")
            }
            self.manifest = manifest
            key =
                superblock.algorithm == .none
                ? nil
                : try? store.fileSystem.open(store.keyPath, .readOnly)
                    .bytes(in: 0..<KeyFile.fileSize)
            wholeKey = superblock.algorithm == .none ? nil : try? store.readKeyFile()
        }

        /// Throws if there is no store in a folder that exists.
        @discardableResult
        static func requireStore(_ store: StoreDirectory) throws(StorageError) -> Superblock {
            if let superblock = try store.readSuperblock() { return superblock }
            throw .invalid(
                "'\(store.path)' exists already and is not a backup. Choose another path.")
        }

        /// Whether the log is longer than the manifest says: a writer has removed the manifest, but
        /// a power failure has undone the removal.
        private static func hasMore(
            _ store: StoreDirectory, than manifest: BackupManifest
        ) throws(StorageError) -> Bool {
            try store.fileSystem.list(store.logPath).contains { name in
                SegmentIndex(fileName: name).map { $0 > manifest.segment } ?? false
            }
        }

        /// Throws if the store does not continue the state of this backup: it is an older state of
        /// the database, or has diverged.
        func requireBeginning(of source: PinnedStore) throws(StorageError) {
            if try isBeginning(of: source) { return }
            throw .invalid(
                "The backup at '\(store.path)' has commits that the realm does not have, since the "
                    + "realm was restored to an older state, or it is damaged. Choose another "
                    + "path.")
        }

        /// If the log of that time was removed, the page files are compared. A page segment keeps
        /// its number and contents, while a store that has continued from an older state has
        /// created other segments, or has appended differently. If these were removed as well, a
        /// divergence cannot be detected.
        private func isBeginning(of source: PinnedStore) throws(StorageError) -> Bool {
            let end = source.end
            guard
                manifest.position < end.position && manifest.segment <= end.segment
                    || manifest.position == end.position && manifest.hash == end.hash
            else { return false }
            if let same = try source.segment(manifest.segment),
                let length = manifest.log[same.index],
                try !isEqual(same, at: store.path(of: same.index), length)
            {
                return false
            }
            for page in source.pages {
                guard let length = manifest.pages[page.index] else { continue }
                let path = store.pagesPath + "/" + page.index.fileName
                guard length <= page.length,
                    try isEqual(try source.open(page), at: path, length)
                else { return false }
            }
            return true
        }

        /// Whether there is nothing to copy.
        func isSame(as source: PinnedStore) -> Bool {
            manifest.position == source.end.position && manifest.hash == source.end.hash
                && key == source.key
        }

        /// Whether this backup has all pinned bytes of a segment of the log.
        func has(_ segment: PinnedStore.Pinned<SegmentIndex>) throws(StorageError) -> Bool {
            guard manifest.log[segment.index] == segment.length else { return false }
            return try isEqual(segment, at: store.path(of: segment.index), segment.length)
        }

        /// How many bytes of a page segment this backup has.
        func length(of page: PinnedStore.PageFile) -> Int {
            manifest.pages[page.index] ?? 0
        }

        /// Whether a file of the folder is equal up to an offset: compares the headers, which
        /// contain a salt or the hash of the previous segment, and the bytes before the offset.
        private func isEqual<Index>(
            _ pinned: PinnedStore.Pinned<Index>, at path: String, _ length: Int
        ) throws(StorageError) -> Bool {
            let file: any File
            do throws(StorageError) {
                file = try store.fileSystem.open(path, .readOnly)
            } catch .fileNotFound {
                return false
            }
            let begin = 0..<min(SegmentHeader.size, length)
            let end = max(0, length - Self.comparedMax)..<length
            for range in [begin, end] {
                let found = try file.bytes(in: range)
                let wanted = try pinned.file.bytes(in: range)
                if found.count < range.count || found != wanted { return false }
            }
            return true
        }
    }
}
