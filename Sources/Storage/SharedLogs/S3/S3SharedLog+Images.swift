#if S3
    import Synchronization

    /// The parts of an image have names of their own for each attempt to make one, and count once
    /// the manifest names that attempt, which is written last, by one host.
    extension S3SharedLog {
        package func images() throws(SharedLogError) -> [SharedLogImage] {
            try checkEnd()
            let manifests = try manifests()
            // Behind them, as with entries.
            let first = try base().base.images
            return manifests.map(\.image).filter { $0.slot >= first }
        }

        /// What is there, the newest first.
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

        /// Nil for one that is not there, or makes no sense.
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
            if try bucket.object(layout.image(image.slot)) != nil { return }
            let manifest = S3Manifest(image, attempt: S3Layout.random())
            do {
                try put(manifest, part)
            } catch {
                removeParts(of: manifest)
                throw error
            }
            // Where it throws, the manifest may be there in the end, and the parts stay.
            if try !publish(manifest) { removeParts(of: manifest) }
        }

        private func put(_ manifest: S3Manifest, _ part: () throws -> [UInt8]?) throws {
            let image = manifest.image
            var (parts, bytes) = (0, 0)
            while let body = try part() {
                let key = layout.chunk(parts, of: image.slot, attempt: manifest.attempt)
                try putPart(body, key)
                parts += 1
                bytes += body.count
            }
            guard image.describes(parts: parts, bytes: bytes) else {
                throw SharedLogError.refused(SharedLogImage.otherParts)
            }
        }

        /// Writes a part, also where the storage does not take it at once: an image may have
        /// thousands.
        private func putPart(_ body: [UInt8], _ key: String) throws(SharedLogError) {
            var patience = RetryPatience(until: ContinuousClock.now + bucket.patience * 4)
            while true {
                do throws(SharedLogError) {
                    // Nobody else writes one of this name.
                    _ = try bucket.put(body, key)
                    return
                } catch {
                    guard error.mayPass, !bucket.end.limitsReads, patience.waitsOnceMore()
                    else { throw error }
                    try checkEnd()
                }
            }
        }

        /// Makes the image count; false where there is another one of its slot, or newer ones have
        /// taken its place.
        private func publish(_ manifest: S3Manifest) throws(SharedLogError) -> Bool {
            let slot = manifest.image.slot
            let key = layout.image(slot)
            if try !bucket.put(manifest.encoded, key) {
                // It may have been sent twice.
                return try bucket.object(key)?.body == manifest.encoded
            }
            if try base().base.images <= slot { return true }
            // Its parts may have been removed already.
            try bucket.remove([key])
            return false
        }

        /// What it does not remove goes with a later trim.
        private func removeParts(of manifest: S3Manifest) {
            let prefix = layout.chunks(of: manifest.image.slot, attempt: manifest.attempt)
            try? removeAll(prefix) { _ in true }
        }

        // MARK: Trimming

        package func trim(
            below slot: LogSlot, imagesBelow image: LogSlot?
        ) throws(SharedLogError) {
            let next = try head().next
            let base = try raiseBase(to: min(slot, next), images: image)
            let layout = layout
            // From the first one on, with what a host has left that came too late.
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

        /// Raises the base, whoever else does so at the same time.
        private func raiseBase(
            to entries: LogSlot, images: LogSlot?
        ) throws(SharedLogError) -> S3Base {
            for _ in 0..<Self.conflictsMax {
                let (base, tag) = try base()
                var raised = base
                raised.entries = max(base.entries, entries)
                raised.images = max(base.images, images ?? base.images)
                if raised == base { return base }
                if try bucket.put(raised.encoded, layout.base, over: tag) { return raised }
                Platform.pause(for: Self.conflictPause)
            }
            throw .unavailable("Others were trimming the log all the time")
        }

        /// Removes the first objects behind a name, up to the first one that stays.
        private func removeAll(
            _ prefix: String, while isToGo: (String) -> Bool
        ) throws(SharedLogError) {
            while true {
                try checkEnd()
                // Not what some tools show a folder by, which has the name of the prefix.
                let listing = try bucket.list(prefix, after: prefix)
                let keys = listing.objects.map(\.key).prefix { isToGo($0) }
                try bucket.remove(Array(keys))
                if keys.isEmpty || keys.count < listing.objects.count || !listing.isTruncated {
                    return
                }
            }
        }
    }
#endif
