/// The images of the log, as this host reads them.
extension SharedJournal {
    /// The images that are complete, the newest first.
    func images(while goesOn: () -> Bool = { true }) throws(StorageError) -> [SharedLogImage] {
        try retrying(while: goesOn) { () throws(SharedLogError) in try realm.log.images() }
    }

    /// What an image says of itself.
    func header(
        of image: SharedLogImage, while goesOn: () -> Bool = { true }
    ) throws(StorageError) -> SharedImageHeader {
        let part = try part(0, of: image, while: goesOn)
        let contents = Array(part.contents.dropFirst(SharedImageWriter.idSize))
        guard let header = SharedImageHeader(decoding: contents),
            part.contents.starts(with: header.id.bytes), header.cursor.realm == part.realm,
            header.cursor.next == image.slot,
            // A forged length would make a host wait for space that no disk has.
            header.length <= image.bytes
        else { throw damage(image) }
        return header
    }

    /// Calls `fetch` with the newest image that is ahead of this host; with an older one where that
    /// is damaged, or of what the log has lost.
    func fetchImage<R>(
        while goesOn: () -> Bool, _ fetch: (SharedLogImage) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let place = cursor.next
        var failure = StorageError.sharedLogTrimmed(first: place.rawValue)
        for _ in 0..<Self.listingsMax {
            failure = .sharedLogTrimmed(first: place.rawValue)
            for image in try images(while: goesOn) where image.slot > place {
                do throws(StorageError) {
                    return try fetch(image)
                } catch {
                    switch error {
                    case .sharedLogDiverged, .sharedLogTrimmed: failure = error
                    default: throw error
                    }
                }
                // Newer ones have come meanwhile, and this one is gone.
                if case .sharedLogTrimmed = failure { break }
            }
            guard case .sharedLogTrimmed = failure else { break }
        }
        throw failure
    }

    /// How often images may be trimmed while this host reads them, before it gives up for now.
    private static let listingsMax = 4

    /// Makes the files of an image in a folder, in which nothing may be.
    func fetch(
        _ image: SharedLogImage, _ header: SharedImageHeader, into folder: StoreDirectory,
        while goesOn: @escaping @Sendable () -> Bool = { true }
    ) throws(StorageError) {
        var reader = SharedImageReader(try SharedImageFolder(folder), header)
        try read(image, into: &reader, while: goesOn)
    }

    /// What an image says of itself. One is refused that the log does not go on from: an engine
    /// that has lost entries may have an image of them.
    func keptHeader(
        of image: SharedLogImage, while goesOn: () -> Bool = { true }
    ) throws(StorageError) -> SharedImageHeader {
        let header = try header(of: image, while: goesOn)
        try requireKept(header.cursor, while: goesOn)
        return header
    }

    /// Reads the files of an image.
    ///
    /// - Throws: ``StorageError/closed(path:)`` once `goesOn` is false, or the store is closed.
    func read<Files>(
        _ image: SharedLogImage, into reader: inout SharedImageReader<Files>,
        while goesOn: @escaping @Sendable () -> Bool = { true }
    ) throws(StorageError) {
        let isAhead = local.options.preparesInBackground
        let parts = SharedImageParts(image.parts, isAhead: isAhead) {
            [self] (number, demand) throws(StorageError) in
            try part(number, of: image) { demand.goesOn && goesOn() }
        }
        defer { parts.end() }
        while var contents = try parts.takeNext() {
            if isStopping || !goesOn() { throw .closed(path: "The store") }
            try reader.take(&contents)
        }
        try reader.end()
    }

    private func part(
        _ number: Int, of image: SharedLogImage, while isWanted: () -> Bool = { true }
    ) throws(StorageError) -> SharedImagePart {
        let bytes = try retrying(while: isWanted) { () throws(SharedLogError) in
            try realm.log.part(number, of: image)
        }
        guard let name = SharedImagePart.realm(of: bytes) else { throw damage(image) }
        if let known = cursor.realm, known != name {
            throw .sharedLogDiverged(reason: "it is the log of another realm by now")
        }
        let part: SharedImagePart
        let cipher = try realm.cipher(name)
        do throws(SharedEntryError) {
            part = try SharedImagePart(decoding: bytes, cipher)
        } catch {
            throw error.storageError(at: image.slot)
        }
        guard part.slot == image.slot, part.number == UInt64(number) else { throw damage(image) }
        return part
    }

    private func damage(_ image: SharedLogImage) -> StorageError {
        .sharedLogDiverged(reason: "the image of slot \(image.slot) is damaged")
    }
}
