#if Tracing
    import InMemoryTracing
    import RealmActors
    import Tracing
    import Testing

    @Suite struct TracingMonitorTests {
        @Test func aWriteIsASpanBelowThatOfItsCaller() async throws {
            let tracer = InMemoryTracer()
            try await withFreshRealm([ServiceItem.self]) {
                $0.monitor = TracingMonitor(tracer)
            } _: { realm in
                try await tracer.withSpan("request") { _ in
                    try await realm.write(author: "import") { tx in
                        // The caller's context is that of the body.
                        tracer.withSpan("in the body") { _ in }
                        try tx.create(ServiceItem.self, value: ["id": 1])
                    }
                }
                let spans = tracer.finishedSpans
                let request = try #require(spans.first { $0.operationName == "request" })
                let inside = try #require(spans.first { $0.operationName == "in the body" })
                let write = try #require(spans.first { $0.operationName == "realm.write" })
                #expect(inside.parentSpanID == request.spanID)
                #expect(write.parentSpanID == request.spanID)
                #expect(write.attributes.get("author") == .string("import"))
                var last = write.startInstant.nanosecondsSinceEpoch
                for name in ["wait", "body", "sync"] {
                    let part = try #require(
                        spans.first { $0.operationName == "realm.write.\(name)" })
                    #expect(part.parentSpanID == write.spanID)
                    // One behind the other, within the write.
                    #expect(part.startInstant.nanosecondsSinceEpoch == last)
                    last = part.endInstant.nanosecondsSinceEpoch
                    #expect(part.startInstant.nanosecondsSinceEpoch <= last)
                }
                #expect(last == write.endInstant.nanosecondsSinceEpoch)
            }
        }
    }
#endif
