#if S3
    /// Checks that a storage respects conditional writes: otherwise two hosts could silently write
    /// the same slot.
    enum S3Probe {
        static let refusal =
            "The storage does not support the conditions If-None-Match and If-Match of PUT, which "
            + "a shared log requires."

        static func run(_ bucket: S3Bucket, _ layout: S3Layout) throws(SharedLogError) {
            let key = layout.probe
            do throws(SharedLogError) {
                // If it exists already, the request was sent twice, since its name is unique.
                if try !bucket.put([1], key), try bucket.object(key)?.body != [1] {
                    throw .refused(refusal)
                }
                for condition in [nil, "\"00000000000000000000000000000000\""] {
                    if try bucket.put([2], key, over: condition) { throw .refused(refusal) }
                }
            } catch {
                try? bucket.remove([key])
                throw error
            }
            try bucket.remove([key])
        }
    }
#endif
