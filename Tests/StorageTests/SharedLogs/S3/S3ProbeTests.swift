#if S3
    import StorageHarness
    import Testing

    @testable import Storage

    /// What opening a log determines about the conditions of its storage.
    @Suite struct S3ProbeTests {
        private static func hasTagWithoutQuotes(_ request: S3Request) -> Bool {
            request.headers["if-match"].map { !$0.contains("\"") } ?? false
        }

        private static func expectRefusal(_ reason: String, of bucket: MemoryBucket) {
            #expect(throws: SharedLogError.refused(reason)) { try bucket.openLog() }
            #expect(bucket.keys.isEmpty)
        }

        @Test(
            arguments: zip(
                ["if-none-match", "if-match"], [S3Probe.ignoresIfNoneMatch, S3Probe.ignoresIfMatch])
        )
        func aStorageWithoutConditionsIsRefused(_ condition: String, reason: String) {
            let bucket = MemoryBucket()
            bucket.fail { $0.headers[condition] == nil ? nil : .unconditionally }
            Self.expectRefusal(reason, of: bucket)
        }

        /// The transport repeats a request if a kept connection has ended. The storage was reported
        /// as not supporting conditions.
        @Test(arguments: 1...6, [MemoryBucket.TagMatching.withQuotes, .withoutQuotes])
        func anOpeningWithARepeatedRequestSucceeds(
            number: Int, matching: MemoryBucket.TagMatching
        ) throws {
            let bucket = MemoryBucket(matching)
            let puts = Tally()
            bucket.fail { request in
                guard request.method == .put else { return nil }
                puts.add()
                return puts.count == number ? .twice : nil
            }
            let log = try bucket.openLog()
            #expect(puts.count == (matching == .withQuotes ? 5 : 6))
            bucket.fail(nil)
            #expect(try log.append([1], at: .first))
            #expect(bucket.keys == ["realm/base", "realm/entries/0000000000000001"])
        }

        /// As many as the page about hosts says.
        @Test(
            arguments: zip(
                [MemoryBucket.TagMatching.withQuotes, .withoutQuotes], [[4, 3, 1], [5, 4, 1]])
        )
        func openingTakesFewRequests(
            _ matching: MemoryBucket.TagMatching, _ expected: [Int]
        ) throws {
            let bucket = MemoryBucket(matching)
            _ = try bucket.openLog()
            bucket.forgetRequests()
            _ = try bucket.openLog()
            let counts = ["PUT", "GET", "DELETE"].map { method in
                bucket.requests.count { $0.hasPrefix(method) }
            }
            #expect(counts == expected)
        }

        // MARK: The form of tags

        /// Its log could be written, but was never trimmed: no condition with a tag was met.
        @Test func aStorageThatComparesTagsWithoutQuotesIsRecognized() throws {
            let bucket = MemoryBucket(.withoutQuotes)
            let log = try bucket.openLog()
            for slot in UInt64(1)...6 { #expect(try log.append([1], at: LogSlot(slot))) }
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(7)))
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 3)
        }

        @Test(arguments: SharedLogConformance.all)
        func aStorageThatComparesTagsWithoutQuotesConforms(
            _ conformance: SharedLogConformance
        ) throws {
            let bucket = MemoryBucket(.withoutQuotes)
            try conformance.check { try bucket.openLog() }
        }

        /// Some storages refuse tags without quotes.
        @Test func aStorageThatComparesTagsWithQuotesGetsNoOthers() throws {
            let bucket = MemoryBucket()
            bucket.fail { Self.hasTagWithoutQuotes($0) ? .answer(400, "InvalidArgument") : nil }
            let log = try bucket.openLog()
            for slot in UInt64(1)...6 { #expect(try log.append([1], at: LogSlot(slot))) }
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            #expect(try log.head().first == LogSlot(4))
        }

        @Test(arguments: [412, 400])
        func aStorageWhereNoTagMatchesIsRefused(statusWithoutQuotes: Int) {
            let bucket = MemoryBucket(.never)
            bucket.fail { Self.hasTagWithoutQuotes($0) ? .answer(statusWithoutQuotes) : nil }
            Self.expectRefusal(S3Probe.refusesIfMatch, of: bucket)
        }

        /// Every tag without quotes matches, also that of an object that was replaced.
        @Test func aStorageThatIgnoresTagsWithoutQuotesIsRefused() {
            let bucket = MemoryBucket(.withoutQuotes)
            bucket.fail { Self.hasTagWithoutQuotes($0) ? .unconditionally : nil }
            Self.expectRefusal(S3Probe.ignoresIfMatch, of: bucket)
        }

        @Test func aStorageWithoutTagsIsRefused() {
            let bucket = MemoryBucket()
            bucket.fail { $0.method == .get ? .answer(200) : nil }
            #expect(throws: S3SharedLog.hasNoTag) { try bucket.openLog() }
        }

        /// Its conditions are not known then: the storage is not refused for good.
        @Test func aStorageThatFailsDuringTheTestIsUnavailable() {
            let bucket = MemoryBucket()
            bucket.failOnce(.answer(500)) { $0.headers["if-match"] != nil }
            #expect(throws: SharedLogError.unavailable("The storage responded with HTTP 500")) {
                try bucket.openLog()
            }
            #expect(bucket.keys.isEmpty)
        }
    }
#endif
