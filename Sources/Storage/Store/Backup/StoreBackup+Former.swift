extension StoreBackup {
    /// The folder that the backup before has left.
    struct Former {
        private let store: StoreDirectory
        private let manifest: BackupManifest
        /// Its file with the key; nil in a plain store, and where that cannot be read.
        let key: [UInt8]?
        /// The same with both copies from one that verifies; nil where none does.
        let wholeKey: [UInt8]?

        /// How much of the end of a file is compared before more is written behind it.
        private static let comparedMax = 4096

        /// That in a folder, whose lock the caller has.
        ///
        /// Throws where it is no backup of the database, or no longer what was copied.
        init(_ store: StoreDirectory, of database: Bits128) throws(StorageError) {
            self.store = store
            guard let superblock = try store.readSuperblock() else {
                throw .invalid(
                    "\(store.path) is there already, and no backup. Choose another path.")
            }
            guard superblock.database == database else {
                throw .invalid(
                    "\(store.path) is a copy of another realm, or one that was made with writeCopy."
                        + " Choose another path.")
            }
            guard let manifest = try BackupManifest.read(from: store),
                manifest.database == database, try !Self.hasMore(store, than: manifest)
            else {
                throw .invalid(
                    "\(store.path) is no backup any more: it was written to since. Choose another"
                        + " path.")
            }
            self.manifest = manifest
            key =
                superblock.algorithm == .none
                ? nil
                : try? store.fileSystem.open(store.keyPath, .readOnly)
                    .bytes(in: 0..<KeyFile.fileSize)
            wholeKey = superblock.algorithm == .none ? nil : try? store.readKeyFile()
        }

        /// Whether there is more of a log than the manifest says: its writer removed the manifest,
        /// but the power may have failed before that was durable.
        private static func hasMore(
            _ store: StoreDirectory, than manifest: BackupManifest
        ) throws(StorageError) -> Bool {
            try store.fileSystem.list(store.logPath).contains { name in
                SegmentIndex(fileName: name).map { $0 > manifest.segment } ?? false
            }
        }

        /// Throws where the store has not all that this has: it is an older state of the database,
        /// or one that has gone on in another way.
        func requireBeginning(of source: PinnedStore) throws(StorageError) {
            if try isBeginning(of: source) { return }
            throw .invalid(
                "The backup at \(store.path) has commits that the realm has not, which went on from"
                    + " an older state, or is damaged. Choose another path.")
        }

        /// Where the log of that time is gone, the page files tell. A page segment keeps its number
        /// and what was written to it, while a store that went on from an older state has made
        /// others of its own, or has written on in another way. Where those of that time are gone
        /// as well, nothing tells.
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

        /// Whether it has all that counts of a segment of the log.
        func has(_ segment: PinnedStore.Pinned<SegmentIndex>) throws(StorageError) -> Bool {
            guard manifest.log[segment.index] == segment.length else { return false }
            return try isEqual(segment, at: store.path(of: segment.index), segment.length)
        }

        /// How much it has of a page segment of a store that it is the beginning of.
        func length(of page: PinnedStore.PageFile) -> Int {
            manifest.pages[page.index] ?? 0
        }

        /// Whether a file of the folder is the same one, up to a place: by its header, which has a
        /// salt of its own or the hash of what came before, and by what stands before the place.
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
