#if Tracing
    public import Tracing

    /// Records a span for each commit, as a child of its caller's span, with children for the wait,
    /// the body and the sync.
    ///
    /// The spans are recorded when the commit is durable, with their past times. Spans that the
    /// body makes are siblings of the commit's span, because the body runs in its caller's context.
    public struct TracingMonitor: RealmMonitor {
        private let tracer: any Tracing.Tracer

        /// Records by `tracer`.
        public init(_ tracer: any Tracing.Tracer) { self.tracer = tracer }

        /// Records the spans of the transaction.
        public func committed(_ event: TransactionEvent, in realm: String) {
            let end = DefaultTracerClock.now.nanosecondsSinceEpoch
            let start = end - min(end, event.duration.nanoseconds)
            let body = start + event.wait.nanoseconds
            let sync = body + event.body.nanoseconds
            let span = tracer.startSpan("realm.write", at: moment(start))
            span.attributes["realm"] = realm
            if let version = event.version { span.attributes["version"] = "\(version)" }
            if let author = event.author { span.attributes["author"] = author }
            span.attributes["group_size"] = event.groupSize
            for (name, begins, ends) in [
                ("realm.write.wait", start, body), ("realm.write.body", body, sync),
                ("realm.write.sync", sync, max(sync, end)),
            ] {
                tracer.startSpan(name, context: span.context, at: moment(begins))
                    .end(at: moment(ends))
            }
            span.end(at: moment(max(sync, end)))
        }

        private func moment(_ nanoseconds: UInt64) -> DefaultTracerClock.Timestamp {
            DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: nanoseconds)
        }
    }

    extension Duration {
        fileprivate var nanoseconds: UInt64 {
            let (seconds, attoseconds) = components
            return UInt64(max(seconds, 0)) * 1_000_000_000
                + UInt64(max(attoseconds, 0) / 1_000_000_000)
        }
    }
#endif
