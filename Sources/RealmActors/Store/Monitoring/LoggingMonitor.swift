#if Logging
    public import Logging

    /// Logs the events of a realm: slow transactions, held versions and lagging streams as
    /// warnings, checkpoints and compactions as info, single transactions as debug.
    public struct LoggingMonitor: RealmMonitor {
        private let logger: Logger

        /// Logs to `logger`.
        public init(_ logger: Logger = Logger(label: "RealmActors")) { self.logger = logger }

        private func log(
            _ level: Logger.Level, _ message: Logger.Message, _ realm: String,
            _ details: @autoclosure () -> Logger.Metadata
        ) {
            guard level >= logger.logLevel else { return }
            logger.log(
                level: level, message,
                metadata: details().merging(["realm": "\(realm)"]) { first, _ in first })
        }

        /// Logs the transaction for debugging.
        public func committed(_ event: TransactionEvent, in realm: String) {
            log(.debug, "transaction committed", realm, event.metadata)
        }

        /// Warns of the transaction.
        public func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
            log(.warning, "transaction was slow", realm, event.metadata)
        }

        /// Logs the checkpoint.
        public func checkpointed(_ event: CheckpointEvent, in realm: String) {
            log(
                .info, "checkpoint written", realm,
                [
                    "version": "\(event.version)", "live bytes": "\(event.liveBytes)",
                    "stored bytes": "\(event.storedBytes)", "duration": "\(event.duration)",
                ])
        }

        /// Logs the compaction.
        public func compacted(_ event: CompactionEvent, in realm: String) {
            log(
                .info, "compacted", realm,
                [
                    "full": "\(event.isFull)", "bytes before": "\(event.bytesBefore)",
                    "bytes after": "\(event.bytesAfter)", "duration": "\(event.duration)",
                ])
        }

        /// Logs what the cache did, at the lowest level.
        public func cacheWasUsed(_ event: CacheEvent, in realm: String) {
            log(
                .trace, "cache used", realm,
                [
                    "hits": "\(event.hits)", "misses": "\(event.misses)",
                    "resident bytes": "\(event.residentBytes)",
                ])
        }

        /// Warns of the version.
        public func versionIsHeld(_ version: ActiveVersion, in realm: String) {
            log(
                .warning, "version is held", realm,
                [
                    "version": "\(version.version)", "age": "\(version.age)",
                    "holders": "\(version.holders)",
                    "labels": .array(version.labels.map { "\($0)" }),
                ])
        }

        /// Warns of the stream.
        public func streamLags(_ event: StreamLagEvent, in realm: String) {
            log(
                .warning, "change stream lags", realm,
                [
                    "classes": .array(event.classNames.map { "\($0)" }),
                    "elements": "\(event.elements)", "lag": "\(event.lag)",
                ])
        }

        /// Logs the move for debugging.
        public func leaseMoved(_ event: LeaseEvent, in realm: String) {
            switch event {
            case .acquired(let wait):
                log(.debug, "writer lease acquired", realm, ["wait": "\(wait)"])
            case .released(let held):
                log(.debug, "writer lease released", realm, ["held": "\(held)"])
            }
        }
    }

    extension TransactionEvent {
        fileprivate var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = [
                "wait": "\(wait)", "body": "\(body)", "sync": "\(sync)",
                "duration": "\(duration)", "group size": "\(groupSize)",
            ]
            if let version { metadata["version"] = "\(version)" }
            if let author { metadata["author"] = "\(author)" }
            if let call { metadata["call"] = "\(call)" }
            return metadata
        }
    }
#endif
