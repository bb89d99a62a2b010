#if Logging
    import Logging
    import RealmActors
    import Storage
    import Synchronization
    import Testing

    /// Keeps what is logged.
    private final class LogRecord: Sendable {
        struct Line {
            let level: Logger.Level
            let message: String
            let metadata: Logger.Metadata
        }

        let lines = Mutex<[Line]>([])

        func logger(_ level: Logger.Level) -> Logger {
            var logger = Logger(label: "test") { _ in RecordingHandler(record: self) }
            logger.logLevel = level
            return logger
        }
    }

    private struct RecordingHandler: LogHandler {
        let record: LogRecord
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock {
                $0.append(
                    LogRecord.Line(
                        level: event.level, message: "\(event.message)",
                        metadata: event.metadata ?? [:]))
            }
        }
    }

    @Suite struct LoggingMonitorTests {
        @Test(arguments: [(Logger.Level.debug, 2), (.warning, 1), (.error, 0)])
        func slowTransactionsAreWarningsAndOthersForDebugging(
            _ level: Logger.Level, _ count: Int
        ) async throws {
            let record = LogRecord()
            try await withFreshRealm([ServiceItem.self]) {
                $0.monitor = LoggingMonitor(record.logger(level))
                $0.monitorLimits.slowTransaction = .zero
            } _: { realm in
                let called = "\(#fileID):\(#line + 1)"
                try await realm.write(author: "import") { tx in
                    try tx.create(ServiceItem.self, value: ["id": 1])
                }
                let lines = record.lines.withLock { $0 }.filter {
                    $0.message.hasPrefix("transaction")
                }
                #expect(lines.count == count)
                let path = realm.configuration.path ?? ""
                for line in lines {
                    #expect(line.metadata["author"] == "import")
                    #expect(line.metadata["version"] == "\(realm.latestVersion)")
                    #expect(line.metadata["realm"] == "\(path)")
                    #expect(line.metadata["call"] == "\(called)")
                }
                if count > 0 { #expect(lines.last?.level == .warning) }
            }
        }
    }
#endif
