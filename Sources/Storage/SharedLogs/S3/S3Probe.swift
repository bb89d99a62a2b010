#if S3
    /// Checks that a storage respects conditional writes: otherwise two hosts could silently write
    /// the same slot, or the log could never be trimmed.
    enum S3Probe {
        static let ignoresIfNoneMatch =
            "The storage does not respect the condition If-None-Match of PUT, which a shared log "
            + "requires: use a storage that supports conditional writes."
        static let ignoresIfMatch =
            "The storage does not respect the condition If-Match of PUT, which a shared log "
            + "requires: use a storage that supports conditional writes."
        static let refusesIfMatch =
            "The storage refuses a PUT with the condition If-Match even if it has the current ETag "
            + "of the object, with or without quotes, so the log could not be trimmed: use another "
            + "storage, or no proxy that changes the ETag or the condition."

        /// The form of tags that the storage compares.
        static func run(_ bucket: S3Bucket, _ layout: S3Layout) throws(SharedLogError) -> S3TagForm
        {
            let key = layout.probe
            let form: S3TagForm
            do throws(SharedLogError) {
                form = try tagForm(bucket, key)
            } catch {
                try? bucket.remove([key])
                throw error
            }
            try bucket.remove([key])
            return form
        }

        private static func tagForm(
            _ bucket: S3Bucket, _ key: String
        ) throws(SharedLogError) -> S3TagForm {
            // If it exists already, the request was sent twice, since its name is unique.
            if try !bucket.put([1], key), try bucket.object(key)?.body != [1] {
                throw .refused(ignoresIfNoneMatch)
            }
            if try bucket.put([2], key) { throw .refused(ignoresIfNoneMatch) }
            let tag = try bucket.object(key)?.tag ?? ""
            guard !tag.isEmpty else { throw S3SharedLog.hasNoTag }
            var bucket = bucket
            for form in S3TagForm.allCases {
                bucket.tagForm = form
                guard try replaces(tag, key, bucket) else { continue }
                // The object has another tag now.
                if try bucket.put([4], key, over: tag) { throw .refused(ignoresIfMatch) }
                return form
            }
            throw .refused(refusesIfMatch)
        }

        /// Whether the object can be replaced over its tag.
        private static func replaces(
            _ tag: String, _ key: String, _ bucket: S3Bucket
        ) throws(SharedLogError) -> Bool {
            do throws(SharedLogError) {
                if try bucket.put([3], key, over: tag) { return true }
            } catch {
                // Some storages refuse a tag without quotes as invalid.
                guard bucket.tagForm == .withoutQuotes, case .refused = error else { throw error }
                return false
            }
            // It was replaced if the request was sent twice.
            return try bucket.object(key)?.body == [3]
        }
    }
#endif
