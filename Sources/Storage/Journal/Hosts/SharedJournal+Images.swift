import Synchronization

/// Reading the images of the shared log.
extension SharedJournal {
    /// The images that are complete, the newest first.
    func images(
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) -> [SharedLogImage] {
        try retrying(monitor: monitor) { () throws(SharedLogError) in try realm.log.images() }
    }

    /// The header of an image.
    func header(
        of image: SharedLogImage, monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) -> SharedImageHeader {
        let part = try part(0, of: image, monitor: monitor)
        let contents = Array(part.contents.dropFirst(SharedImageWriter.idSize))
        guard let header = SharedImageHeader(decoding: contents),
            part.contents.starts(with: header.id.bytes), header.cursor.realm == part.realm,
            header.cursor.next == image.slot,
            // A forged length would make a host wait for space that no disk has.
            header.length <= image.bytes
        else { throw damage(image) }
        return header
    }

    /// Calls `fetch` with the newest image that is ahead of this host; with an older one if that is
    /// damaged or incomplete, or covers entries that the log has lost.
    func fetchImage<R>(
        monitor: ReadingMonitor, _ fetch: (SharedLogImage) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let place = cursor.next
        let trimmed = StorageError.sharedLogTrimmed(first: place.rawValue)
        var failure = trimmed
        // Images of which a part was missing. If one is still listed, it was not trimmed.
        var incomplete: Set<SharedLogImage> = []
        for _ in 0..<Self.listingsMax {
            failure = trimmed
            // An image that is known to be unusable is not read again.
            let unusable = unusableImages.withLock { $0 }
            for image in try images(monitor: monitor)
            where image.slot > place && !unusable.contains(image.slot)
                && !incomplete.contains(image)
            {
                do throws(StorageError) {
                    return try fetch(image)
                } catch {
                    switch error {
                    case .sharedLogTrimmed, .logOfOtherRealm: failure = error
                    case .sharedLogDiverged:
                        // A damaged image does not mean that this host has diverged: the next one
                        // is tried.
                        unusableImages.withLock { _ = $0.insert(image.slot) }
                        failure = error
                    default: throw error
                    }
                }
                // The image was trimmed after newer ones were added: list them again.
                if case .sharedLogTrimmed = failure {
                    incomplete.insert(image)
                    break
                }
            }
            guard case .sharedLogTrimmed = failure else { break }
        }
        if case .sharedLogDiverged = failure, failure != .logOfOtherRealm { throw trimmed }
        throw failure
    }

    /// How often to list the images again after one was trimmed while it was read.
    private static let listingsMax = 4

    /// Writes the files of an image to a folder, which must be empty.
    func fetch(
        _ image: SharedLogImage, _ header: SharedImageHeader, into folder: StoreDirectory,
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) {
        var reader = SharedImageReader(try SharedImageFolder(folder), header)
        try read(image, into: &reader, monitor: monitor)
    }

    /// The header of an image that the log continues. An engine that has lost entries may have an
    /// image of them, which is refused.
    func keptHeader(
        of image: SharedLogImage, monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) -> SharedImageHeader {
        let header = try header(of: image, monitor: monitor)
        try requireKept(header.cursor, monitor: monitor)
        return header
    }

    /// Reads the files of an image.
    ///
    /// - Throws: ``StorageError/closed(path:)`` once it is cancelled, or the store is closed.
    func read<Files>(
        _ image: SharedLogImage, into reader: inout SharedImageReader<Files>,
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) {
        let isAhead = local.options.preparesInBackground
        let parts = SharedImageParts(image.parts, isAhead: isAhead, monitor: monitor) {
            [self] (number, monitor) throws(StorageError) in
            try part(number, of: image, monitor: monitor)
        }
        defer { parts.end() }
        while var contents = try parts.takeNext() {
            if isStopping || monitor.isCancelled { throw .closed(path: "The store") }
            try reader.take(&contents)
        }
        try reader.end()
    }

    private func part(
        _ number: Int, of image: SharedLogImage, monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) -> SharedImagePart {
        let bytes = try retrying(monitor: monitor) { () throws(SharedLogError) in
            try realm.log.part(number, of: image)
        }
        guard let name = SharedImagePart.realm(of: bytes) else { throw damage(image) }
        if let known = cursor.realm, known != name {
            throw .logOfOtherRealm
        }
        let part: SharedImagePart
        let cipher = try realm.cipher(name)
        do throws(SharedEntryError) {
            part = try SharedImagePart(decoding: bytes, cipher)
        } catch {
            // The key has opened the header, or entries before: this was changed without it.
            let isKeyRight = number > 0 || cursor.realm != nil
            if isKeyRight, error == .notAuthentic { throw damage(image) }
            throw error.storageError(at: image.slot)
        }
        guard part.slot == image.slot, part.number == UInt64(number) else { throw damage(image) }
        return part
    }

    private func damage(_ image: SharedLogImage) -> StorageError {
        .sharedLogDiverged(reason: "the image of slot \(image.slot) is damaged")
    }
}
