#if S3
    import Synchronization

    /// The parts of an image have unique names for each attempt, and become valid once the manifest
    /// names that attempt, which one host writes last.
    extension S3SharedLog {
        /// How many objects are removed before a check whether the store is being closed.
        private static let removalsMax = 64

        package func images() throws(SharedLogError) -> [SharedLogImage] {
            try checkEnd()
            let manifests = try manifests()
            // After the list, as with entries.
            let first = try base().base.images
            return manifests.map(\.image).filter { $0.slot >= first }
        }

        /// The existing manifests, the newest first.
        private func manifests() throws(SharedLogError) -> [S3Manifest] {
            var manifests: [S3Manifest] = []
            for object in try bucket.listAll(layout.images).reversed() {
                guard let slot = layout.slot(of: object.key, in: layout.images),
                    let manifest = try manifest(of: slot)
                else { continue }
                manifests.append(manifest)
            }
            return manifests
        }

        /// Nil for one that does not exist, or is malformed.
        private func manifest(of slot: LogSlot) throws(SharedLogError) -> S3Manifest? {
            if let known = known.withLock({ $0.manifests[slot] }) { return known }
            guard let found = try bucket.object(layout.image(slot)) else { return nil }
            let manifest = S3Manifest(found.body, slot: slot)
            known.withLock { $0.manifests[slot] = manifest }
            return manifest
        }

        package func part(
            _ number: Int, of image: SharedLogImage
        ) throws(SharedLogError) -> [UInt8] {
            try checkEnd()
            if let manifest = try manifest(of: image.slot), manifest.image == image {
                let key = layout.chunk(number, of: image.slot, attempt: manifest.attempt)
                if let found = try bucket.object(key) { return found.body }
                known.withLock { $0.manifests[image.slot] = nil }
            }
            throw .trimmed(first: try base().base.entries)
        }

        // MARK: Adding

        package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
            try checkEnd()
            let key = layout.image(image.slot)
            if try retrying({ () throws(SharedLogError) in try bucket.object(key) }) != nil {
                return
            }
            let manifest = S3Manifest(image, attempt: S3Layout.random())
            do {
                try put(manifest, part)
            } catch {
                removeParts(of: manifest)
                throw error
            }
            // After an error, the manifest may have been written, so the parts stay.
            if try !publish(manifest) { removeParts(of: manifest) }
        }

        private func put(_ manifest: S3Manifest, _ part: () throws -> [UInt8]?) throws {
            let image = manifest.image
            var (parts, bytes) = (0, 0)
            while let body = try part() {
                // The name is unique.
                let key = layout.chunk(parts, of: image.slot, attempt: manifest.attempt)
                _ = try retrying(for: S3Bucket.putting(body, key).limit(bucket.timeout)) {
                    () throws(SharedLogError) in
                    try bucket.put(body, key)
                }
                parts += 1
                bytes += body.count
            }
            guard image.describes(parts: parts, bytes: bytes) else {
                throw SharedLogError.refused(SharedLogImage.otherParts)
            }
        }

        /// Repeats a request after transient errors: an image may need thousands, and fails with
        /// any of them. `limit`: the time limit of the request; retries go on for a multiple of it,
        /// so that one without an answer is retried as well.
        private func retrying<R>(
            for limit: Duration? = nil, _ call: () throws(SharedLogError) -> R
        ) throws(SharedLogError) -> R {
            var backoff = RetryBackoff(until: Instant.now + (limit ?? bucket.timeout) * 4)
            while true {
                do throws(SharedLogError) {
                    return try call()
                } catch {
                    guard error.isTransient, !bucket.end.limitsCalls, backoff.waitToRetry()
                    else { throw error }
                    try checkEnd()
                }
            }
        }

        /// Publishes the image; false if there is another one of its slot, or newer ones have
        /// replaced it.
        private func publish(_ manifest: S3Manifest) throws(SharedLogError) -> Bool {
            let slot = manifest.image.slot
            let key = layout.image(slot)
            let isPublished = try retrying { () throws(SharedLogError) in
                if try bucket.put(manifest.encoded, key) { return true }
                // It may have been sent twice.
                return try bucket.object(key)?.body == manifest.encoded
            }
            guard isPublished else { return false }
            let first = try retrying { () throws(SharedLogError) in try base().base.images }
            if first <= slot { return true }
            // Its parts may have been removed already.
            try retrying { () throws(SharedLogError) in try bucket.remove([key]) }
            return false
        }

        /// Remaining parts are removed by a later trim.
        private func removeParts(of manifest: S3Manifest) {
            let prefix = layout.chunks(of: manifest.image.slot, attempt: manifest.attempt)
            try? removeAll(prefix, mayEndEarly: false) { _ in true }
        }

        // MARK: Trimming

        /// Once the store is being closed, it throws after the requests in progress. The base was
        /// raised before anything was removed, so the next trim removes the rest.
        package func trim(
            below slot: LogSlot, imagesBelow image: LogSlot?
        ) throws(SharedLogError) {
            let next = try head().next
            let base = try raiseBase(to: min(slot, next), images: image)
            let layout = layout
            // From the first one on, including the leftovers of a host that was too late.
            try removeAll(layout.entries) { key in
                layout.slot(of: key, in: layout.entries).map { $0 < base.entries } ?? false
            }
            for folder in [layout.images, layout.chunks] {
                try removeAll(folder) { key in
                    layout.slot(of: key, in: folder).map { $0 < base.images } ?? false
                }
            }
            known.withLock { known in
                known.manifests = known.manifests.filter { $0.key >= base.images }
            }
        }

        /// Raises the base, also if others do so concurrently. After a transient failure the base
        /// is read again as well. If the request was executed nevertheless, that base is raised
        /// already. If it is executed later, it finds another tag and changes nothing, or raises
        /// the base that it was meant for.
        private func raiseBase(
            to entries: LogSlot, images: LogSlot?
        ) throws(SharedLogError) -> S3Base {
            let conflict = SharedLogError.unavailable(
                "Other hosts were continuously trimming the log")
            var failure = conflict
            var backoff = RetryBackoff(until: Instant.now + bucket.timeout * 4)
            for _ in 0..<Self.conflictsMax {
                let (base, tag) = try base()
                var raised = base
                raised.entries = max(base.entries, entries)
                raised.images = max(base.images, images ?? base.images)
                if raised == base { return base }
                do throws(SharedLogError) {
                    if try bucket.put(raised.encoded, layout.base, over: tag) { return raised }
                    failure = conflict
                    Platform.pause(for: Self.conflictPause)
                } catch {
                    guard error.isTransient, !bucket.end.limitsCalls, backoff.waitToRetry()
                    else { throw error }
                    failure = error
                }
            }
            throw failure
        }

        /// Removes the first objects after a name, up to the first one that is kept.
        ///
        /// - Parameter mayEndEarly: whether to throw once the store is being closed.
        private func removeAll(
            _ prefix: String, mayEndEarly: Bool = true, while isToGo: (String) -> Bool
        ) throws(SharedLogError) {
            while true {
                try checkEnd()
                // Skips the placeholder objects of some tools for folders, which have the name of
                // the prefix.
                let listing = try bucket.list(prefix, after: prefix)
                let keys = listing.objects.map(\.key).prefix { isToGo($0) }
                for start in stride(from: 0, to: keys.count, by: Self.removalsMax) {
                    if mayEndEarly, bucket.end.limitsCalls {
                        throw .unavailable("The store is being closed")
                    }
                    try bucket.remove(Array(keys.dropFirst(start).prefix(Self.removalsMax)))
                }
                if keys.isEmpty || keys.count < listing.objects.count || !listing.isTruncated {
                    return
                }
            }
        }
    }
#endif
