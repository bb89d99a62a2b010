#if S3
    package import Foundation
    import Synchronization

    /// A shared log in the objects of a bucket, whose storage respects conditional `PUT` requests
    /// and is strongly consistent, as S3 is.
    ///
    /// An entry is an object that is written if none of its name exists. So that slots are filled
    /// in order, an append first checks that the previous one is filled.
    ///
    /// Removed objects can be written again, which would use a slot twice. That is prevented by an
    /// object with the first slot of the log, the base:
    ///
    /// - Trimming raises the base before it removes any entry, on condition that it was not changed
    ///   meanwhile: it is never lowered.
    /// - An append that has written its entry reads the base *afterwards*. At or after the base
    ///   nothing was removed by then, so the slot has not been used before: the entry is the first
    ///   one there, and stays. Below the base, the slot was trimmed: before the entry was written,
    ///   which is then invalid, or together with it, if the host was suspended before it read the
    ///   base. The outcome stays unknown, and the entry is removed. That is rare, since a host that
    ///   has not read the base for some time reads it before as well. The append was superseded if
    ///   the base is that of another log, which has replaced this one: the previous entry is then
    ///   not the one that this continues.
    /// - Reading does likewise: it reads the base after the entries, and ignores those below it. So
    ///   an entry that a host has written to a removed slot is never taken for one of the log, even
    ///   if the host does not remove it. The next trim removes it.
    ///
    /// Images are treated in the same way (``S3Manifest``).
    package final class S3SharedLog: SharedLog {
        /// The cached state of the log.
        struct Known {
            /// The identity of the log in the base that was read first; nil before.
            var log: String?
            /// The newest entry that was written or read here, its hash, and when that was, and
            /// the base was read.
            var last: (slot: LogSlot, hash: SharedEntryHash, time: Instant)?
            /// How many messages were sent.
            var messages: UInt64 = 0
            /// The manifests that were read.
            var manifests: [LogSlot: S3Manifest] = [:]
        }

        let bucket: S3Bucket
        let layout: S3Layout
        let known = Mutex(Known())
        private let end = S3End()
        private let poller: S3Poller

        /// Refuses a storage that does not respect conditional writes, and creates what is missing,
        /// unless `makesLog` is false: then it is refused.
        ///
        /// - Parameter polling: the polling interval of the bucket while something happens, and
        ///   while nothing does.
        package convenience init(
            endpoint: URL, bucket: String, region: String, realm: String,
            credentials: S3Credentials,
            polling: ClosedRange<Duration> = S3SharedLog.pollingByDefault, makesLog: Bool = true,
            timeout: Duration = .seconds(5)
        ) throws(SharedLogError) {
            let client = try S3Client(
                endpoint: endpoint, bucket: bucket, region: region, credentials: credentials,
                timeout: timeout)
            try self.init(
                client, realm: realm, polling: polling, makesLog: makesLog, timeout: timeout)
        }

        init(
            _ transport: any S3Transport, realm: String,
            polling: ClosedRange<Duration> = S3SharedLog.pollingByDefault, makesLog: Bool = true,
            timeout: Duration = .seconds(5)
        ) throws(SharedLogError) {
            layout = try S3Layout(realm: realm)
            poller = S3Poller(transport, layout, polling)
            var bucket = S3Bucket(transport: transport, end: end, timeout: timeout)
            // A log that is only read needs no conditions.
            if makesLog { bucket.tagForm = try S3Probe.run(bucket, layout) }
            self.bucket = bucket
            guard makesLog else {
                if try bucket.object(layout.base) != nil { return }
                throw .refused("The bucket has no log of a realm with this name.")
            }
            if try bucket.object(layout.base) == nil {
                _ = try bucket.put(S3Base(log: S3Layout.random()).encoded, layout.base)
            }
            _ = try base()
        }

        static let hasNoTag =
            SharedLogError.refused("The storage does not return the ETag of an object.")

        package static let pollingByDefault = Duration.milliseconds(50)...Duration.seconds(1)

        deinit { close() }

        /// The base of the log, and the tag of its object.
        func base() throws(SharedLogError) -> (base: S3Base, tag: String) {
            try checkEnd()
            guard let answer = try bucket.object(layout.base) else {
                throw .refused("The log of the realm was removed.")
            }
            // Without a tag, the base could not be replaced conditionally.
            guard !answer.tag.isEmpty else { throw Self.hasNoTag }
            let base = try S3Base(answer.body)
            known.withLock { known in
                if known.log == nil { known.log = base.log }
            }
            return (base, answer.tag)
        }

        func checkEnd() throws(SharedLogError) {
            if end.isOver { throw .closed }
        }

        /// Discards the cached state after a failed call: the storage may have been replaced.
        func forgetting<R>(
            _ call: () throws(SharedLogError) -> R
        ) throws(SharedLogError) -> R {
            do throws(SharedLogError) {
                try checkEnd()
                return try call()
            } catch {
                known.withLock { $0.last = nil }
                throw error
            }
        }

        /// Records an entry of the log.
        func note(_ slot: LogSlot, _ hash: SharedEntryHash) {
            known.withLock { known in
                if let last = known.last, last.slot > slot { return }
                known.last = (slot, hash, Instant.now)
            }
        }

        /// Such a storage shows only durable objects: an object is visible once it is on the disks
        /// of several machines, and no other machine takes over without it. So a barrier has
        /// nothing to wait for.
        package func barrier() throws(SharedLogError) { try checkEnd() }

        // MARK: Watching

        package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            poller.watch(for: slot, noticed)
        }

        package func wake() { poller.wake() }

        package var knownNext: LogSlot? { poller.knownNext }

        package func send(_ message: [UInt8]) throws(SharedLogError) {
            try checkEnd()
            let number = known.withLock { known in
                known.messages += 1
                return known.messages
            }
            let time = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            _ = try bucket.put(message, layout.message(time, number))
        }

        package func stopWaiting() { end.limitCalls() }

        package func close() {
            end.signal()
            poller.close()
        }
    }
#endif
