#if S3
    package import Foundation
    import Synchronization

    /// A shared log in the objects of a bucket, whose storage keeps conditions of a `PUT` and shows
    /// at once what it has acknowledged, as S3 does.
    ///
    /// An entry is an object that is written if none of its name is there. So that slots are filled
    /// in order, an append first makes sure that the one before is.
    ///
    /// Objects that were removed can be written again, which would give a slot away twice. That is
    /// prevented by an object that says where the log begins, the base:
    ///
    /// - Trimming raises the base before it removes any entry, on the condition that nobody has
    ///   changed it meanwhile: it is never lowered.
    /// - An append that has written its entry reads the base *afterwards*. At or behind it nothing
    ///   was removed by then, so that the slot has not been used before: the entry is the first one
    ///   there, and stays. Below it the slot was used and removed while the append was on its way:
    ///   the entry counts for nothing, is removed again, and the append was superseded; unless it
    ///   took so long that the entry may have been trimmed itself, which cannot be determined. It
    ///   was superseded, too, where the base is that of another log, which someone has made in
    ///   place of this one: the entry before is not the one that this continues.
    /// - Reading does likewise: it reads the base after the entries, and takes none below it. So
    ///   nobody takes an entry for one of the log that a host has put into a removed slot and not
    ///   removed yet, however long that takes, nor when it never does. The next trim removes it.
    ///
    /// Images are treated in the same way (``S3Manifest``).
    package final class S3SharedLog: SharedLog {
        /// What is known of the log without asking.
        struct Known {
            /// The identity of the log in the base that was read first; nil before.
            var log: String?
            /// The newest entry that was written or read here, and its hash.
            var last: (slot: LogSlot, hash: SharedEntryHash)?
            /// How many messages were sent.
            var messages: UInt64 = 0
            /// The images that were read of.
            var manifests: [LogSlot: S3Manifest] = [:]
        }

        let bucket: S3Bucket
        let layout: S3Layout
        let known = Mutex(Known())
        private let end = S3End()
        private let poller: S3Poller

        /// Refuses a storage that does not keep conditions, and makes what is not there yet, unless
        /// `makesLog` is false: then that is refused.
        ///
        /// - Parameter polling: how often the bucket is looked at while something happens, and
        ///   while nothing does.
        package convenience init(
            endpoint: URL, bucket: String, region: String, realm: String,
            credentials: S3Credentials,
            polling: ClosedRange<Duration> = S3SharedLog.pollingByDefault, makesLog: Bool = true,
            patience: Duration = .seconds(5)
        ) throws(SharedLogError) {
            let client = try S3Client(
                endpoint: endpoint, bucket: bucket, region: region, credentials: credentials,
                patience: patience)
            try self.init(
                client, realm: realm, polling: polling, makesLog: makesLog, patience: patience)
        }

        init(
            _ transport: any S3Transport, realm: String,
            polling: ClosedRange<Duration> = S3SharedLog.pollingByDefault, makesLog: Bool = true,
            patience: Duration = .seconds(5)
        ) throws(SharedLogError) {
            layout = try S3Layout(realm: realm)
            bucket = S3Bucket(transport: transport, end: end, patience: patience)
            poller = S3Poller(transport, layout, polling)
            guard makesLog else {
                if try bucket.object(layout.base) != nil { return }
                throw .refused("The bucket has no log of a realm with this name.")
            }
            try S3Probe.run(bucket, layout)
            if try bucket.object(layout.base) == nil {
                _ = try bucket.put(S3Base(log: S3Layout.random()).encoded, layout.base)
            }
            _ = try base()
        }

        package static let pollingByDefault = Duration.milliseconds(50)...Duration.seconds(1)

        deinit { close() }

        /// Where the log begins, and the tag of the object that says so.
        func base() throws(SharedLogError) -> (base: S3Base, tag: String) {
            try checkEnd()
            guard let answer = try bucket.object(layout.base) else {
                throw .refused("The log of the realm was removed.")
            }
            // Without one nothing could be written on the condition that it is still that.
            guard !answer.tag.isEmpty else {
                throw .refused("The storage does not say the ETag of an object.")
            }
            let base = try S3Base(answer.body)
            known.withLock { known in
                if known.log == nil { known.log = base.log }
            }
            return (base, answer.tag)
        }

        func checkEnd() throws(SharedLogError) {
            if end.isOver { throw .closed }
        }

        /// Forgets what it knew when a call has failed: the storage may be another one by then.
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

        /// Takes note of an entry that is one of the log.
        func note(_ slot: LogSlot, _ hash: SharedEntryHash) {
            known.withLock { known in
                if let last = known.last, last.slot > slot { return }
                known.last = (slot, hash)
            }
        }

        /// A storage of this kind shows nothing that it does not keep: an object is there once it
        /// is on the disks of several machines, and no other machine takes over without it. So
        /// there is nothing to wait for behind what was read.
        package func barrier() throws(SharedLogError) { try checkEnd() }

        // MARK: Watching

        package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            poller.watch(for: slot, noticed)
        }

        package func wake() { poller.wake() }

        package func send(_ message: [UInt8]) throws(SharedLogError) {
            try checkEnd()
            let number = known.withLock { known in
                known.messages += 1
                return known.messages
            }
            let time = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            _ = try bucket.put(message, layout.message(time, number))
        }

        package func stopWaiting() { end.limitReads() }

        package func close() {
            end.signal()
            poller.close()
        }
    }
#endif
