#if os(Linux) && PostgreSQL
    import Storage
    import StorageHarness

    /// How long a campaign waits for an expected event.
    enum Patience {
        static let limit = Duration.seconds(60)

        /// Polls until there is an answer.
        ///
        /// - Throws: ``Program/Failure`` if there is none within ``limit``.
        static func wait<R>(_ what: String, for answer: () throws -> R?) throws -> R {
            let end = ContinuousClock.now + limit
            while true {
                if let answer = try answer() { return answer }
                guard ContinuousClock.now < end else {
                    throw Program.Failure(description: "waited in vain for \(what)")
                }
                Platform.pause(for: .milliseconds(20))
            }
        }
    }
#endif
