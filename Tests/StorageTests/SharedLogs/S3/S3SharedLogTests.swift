#if S3
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    /// A shared log in a bucket with faults of every kind.
    @Suite struct S3SharedLogTests {
        private static func open(_ bucket: MemoryBucket, makesLog: Bool = true) throws
            -> S3SharedLog
        {
            try S3SharedLog(
                bucket, realm: "realm", polling: .milliseconds(1)...(.milliseconds(20)),
                makesLog: makesLog, timeout: .seconds(20))
        }

        private static let layout = try? S3Layout(realm: "realm")

        private static func isEntry(_ request: S3Request) -> Bool {
            request.method == .put && request.key.contains("/entries/")
        }

        @Test(arguments: SharedLogConformance.all)
        func conforms(_ conformance: SharedLogConformance) throws {
            let bucket = MemoryBucket()
            try conformance.check { try Self.open(bucket) }
        }

        /// The request was executed, or not, and repeating the same append determines that.
        @Test(arguments: [true, false]) func anOutcomeIsUnknownAndFoundOut(isWritten: Bool) throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            bucket.failOnce(isWritten ? .loseAnswer : .loseRequest, where: Self.isEntry)
            #expect(throws: SharedLogError.outcomeUnknown("lost")) {
                try log.append([2], at: LogSlot(2))
            }
            #expect(try log.append([2], at: LogSlot(2)))
            #expect(try !log.append([2], at: LogSlot(2)))
            #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
        }

        @Test func anotherEntryOfAnUnknownOutcomeIsAnothers() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try Self.open(bucket), try Self.open(bucket))
            bucket.failOnce(.loseRequest, where: Self.isEntry)
            #expect(throws: SharedLogError.self) { try one.append([1], at: .first) }
            #expect(try other.append([2], at: .first))
            #expect(try !one.append([1], at: .first))
        }

        /// It would be taken for the entry of another host, and its commit would be repeated.
        @Test func anEntrySentTwiceIsRecognized() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            bucket.failOnce(.twice, where: Self.isEntry)
            #expect(try log.append([1], at: .first))
            #expect(try log.head().next == LogSlot(2))
        }

        @Test func anAppendWhoseBaseIsNotReadIsNotKnown() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            bucket.fail { $0.key.hasSuffix("/base") ? .unreachable : nil }
            #expect(throws: SharedLogError.outcomeUnknown("unreachable")) {
                try log.append([2], at: LogSlot(2))
            }
            bucket.fail(nil)
            #expect(try log.append([2], at: LogSlot(2)))
        }

        @Test func answersToAnAppendSayWhetherItWasWritten() throws {
            let cases: [(MemoryBucket.Fault, SharedLogError)] = [
                (.answer(500), .outcomeUnknown("")),
                (.answer(503, "SlowDown"), .outcomeUnknown("")),
                (.answer(403, "AccessDenied"), .refused("")), (.unreachable, .unavailable("")),
                (.answer(403, "RequestTimeTooSkewed"), .unavailable("")),
                (.answer(501, "NotImplemented"), .refused("")),
                (.answer(404, "NoSuchBucket"), .refused("")), (.answer(301), .refused("")),
            ]
            for (fault, expected) in cases {
                let bucket = MemoryBucket()
                let log = try Self.open(bucket)
                bucket.failOnce(fault, where: Self.isEntry)
                #expect("\(fault)") {
                    try log.append([1], at: .first)
                } throws: { error in
                    switch (error as? SharedLogError, expected) {
                    case (.outcomeUnknown, .outcomeUnknown), (.refused, .refused),
                        (.unavailable, .unavailable):
                        true
                    default: false
                    }
                }
                #expect(try log.append([1], at: .first))
            }
        }

        /// A conflict does not mean that the slot is filled, nor that it was not: it may be with an
        /// earlier attempt, whose connection has ended, so that the transport has repeated it.
        @Test func aConflictIsRetried() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            bucket.failOnce(.answer(409, "ConditionalRequestConflict"), where: Self.isEntry)
            #expect(try log.append([1], at: .first))
            bucket.fail { Self.isEntry($0) ? .answer(409) : nil }
            #expect {
                try log.append([2], at: LogSlot(2))
            } throws: { error in
                if case SharedLogError.outcomeUnknown = error { true } else { false }
            }
            bucket.fail(nil)
            bucket.put([2], "realm/entries/0000000000000002")
            #expect(try log.append([2], at: LogSlot(2)))
        }

        /// The second attempt was refused, or never sent, and its failure was reported: nothing was
        /// written.
        @Test(arguments: [MemoryBucket.Fault.unreachable, .answer(403, "AccessDenied")])
        func aFailureAfterAConflictIsNotTheOutcome(_ fault: MemoryBucket.Fault) throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            let attempts = Tally()
            bucket.fail { request in
                guard Self.isEntry(request) else { return nil }
                attempts.add()
                return attempts.count == 1 ? .answer(409, "ConditionalRequestConflict") : fault
            }
            #expect {
                try log.append([2], at: LogSlot(2))
            } throws: { error in
                if case SharedLogError.outcomeUnknown = error { true } else { false }
            }
            #expect(attempts.count == 2)
            bucket.fail(nil)
            bucket.put([2], "realm/entries/0000000000000002")
            #expect(try log.append([2], at: LogSlot(2)))
        }

        @Test func anEntryContinuesTheOneBefore() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try Self.open(bucket), try Self.open(bucket))
            #expect(try one.append([1], at: .first))
            let (right, wrong) = (SharedEntryHash(of: [1]), SharedEntryHash(of: [2]))
            for log in [one, other] {
                #expect(try !log.append([2], at: LogSlot(2), behind: wrong))
                #expect(try !log.append([2], at: LogSlot(3), behind: nil))
            }
            #expect(try other.append([2], at: LogSlot(2), behind: right))
            #expect(try one.entries(from: LogSlot(2), bytesMax: 9).map(\.bytes) == [[2]])
        }

        /// It does not request what it knows: only the entry, and then the base.
        @Test func anAppendTakesTwoRequests() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            bucket.forgetRequests()
            #expect(try log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(
                bucket.requests == ["PUT realm/entries/0000000000000002", "GET realm/base"])
        }

        private struct Failure: Error, CustomStringConvertible {
            let description = "swordfish"
        }

        /// Before any request, and without the text of the error.
        @Test func missingCredentialsAreReported() throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            let reason = "The credentials could not be looked up"
            #expect(throws: SharedLogError.unavailable(reason)) {
                try S3SharedLog(
                    endpoint: endpoint, bucket: "b", region: "r", realm: "realm",
                    credentials: S3Credentials { throw Failure() })
            }
        }

        /// Before any request. A line break, as at the end of a file, ended the header.
        @Test func invalidCredentialsAreRefused() throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            for keys in [
                S3Credentials.Keys(id: "AKIA\n", secret: "swordfish"),
                S3Credentials.Keys(id: "AKIA", secret: "swordfish\n"),
                S3Credentials.Keys(id: "AKIA", secret: ""),
                S3Credentials.Keys(id: "AKIA", secret: "swordfish", sessionToken: "a\r\nb: c"),
            ] {
                #expect(throws: SharedLogError.refused(S3Credentials.invalidKeys)) {
                    try S3SharedLog(
                        endpoint: endpoint, bucket: "b", region: "r", realm: "realm",
                        credentials: S3Credentials(keys))
                }
            }
        }

        @Test(arguments: [("", "r"), ("b", ""), ("b", "r\n"), ("b c", "r")])
        func invalidPlacesAreRefused(_ bucket: String, _ region: String) throws {
            let endpoint = try #require(URL(string: "http://127.0.0.1:1"))
            #expect {
                try S3SharedLog(
                    endpoint: endpoint, bucket: bucket, region: region, realm: "realm",
                    credentials: S3Credentials(S3Credentials.Keys(id: "id", secret: "secret")))
            } throws: { error in
                if case SharedLogError.refused = error { true } else { false }
            }
        }

        // MARK: The engine

        @Test(arguments: ["if-none-match", "if-match"])
        func aStorageWithoutConditionsIsRefused(_ condition: String) {
            let bucket = MemoryBucket()
            bucket.fail { $0.headers[condition] == nil ? nil : .unconditionally }
            #expect(throws: SharedLogError.refused(S3Probe.refusal)) {
                try Self.open(bucket)
            }
            #expect(bucket.keys.isEmpty)
        }

        /// The transport repeats a request if a kept connection has ended. The storage was reported
        /// as not supporting conditions.
        @Test(arguments: 1...4) func anOpeningWithARepeatedRequestSucceeds(number: Int) throws {
            let bucket = MemoryBucket()
            let puts = Tally()
            bucket.fail { request in
                guard request.method == .put else { return nil }
                puts.add()
                return puts.count == number ? .twice : nil
            }
            let log = try Self.open(bucket)
            #expect(puts.count == 4)
            bucket.fail(nil)
            #expect(try log.append([1], at: .first))
            #expect(bucket.keys == ["realm/base", "realm/entries/0000000000000001"])
        }

        @Test func readingDoesNotCreateALog() throws {
            let bucket = MemoryBucket()
            #expect(throws: SharedLogError.self) {
                try Self.open(bucket, makesLog: false)
            }
            #expect(bucket.keys.isEmpty)
            _ = try Self.open(bucket)
            bucket.forgetRequests()
            _ = try Self.open(bucket, makesLog: false)
            #expect(bucket.requests == ["GET realm/base"])
        }

        @Test func aRemovedLogIsDetected() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            bucket.remove("realm/base")
            #expect(throws: SharedLogError.refused("The log of the realm was removed.")) {
                try log.head()
            }
        }

        /// An append continued a log that other hosts had replaced meanwhile, and was acknowledged;
        /// the new log could not be read any more once it reached that slot. Bases of earlier
        /// versions do not identify their log.
        @Test(arguments: [false, true], [false, true])
        func aRecreatedLogIsNotContinued(isEarlier: Bool, twice: Bool) throws {
            let bucket = MemoryBucket()
            if isEarlier { bucket.put(S3Base().encoded, "realm/base") }
            let log = try Self.open(bucket)
            for slot in 1...3 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            for key in bucket.keys { bucket.remove(key) }
            let other = try Self.open(bucket)
            #expect(try other.append([2], at: .first))
            if twice { bucket.failOnce(.twice, where: Self.isEntry) }
            for _ in 0..<2 {
                #expect(try !log.append([1], at: LogSlot(4), behind: SharedEntryHash(of: [1])))
            }
            #expect(bucket.keys == ["realm/base", "realm/entries/0000000000000001"])
            #expect(try other.append([2], at: LogSlot(2)))
        }

        /// The entry was removed again, although others may have appended after it.
        @Test(arguments: [false, true], [false, true])
        func aLogWithARecreatedBaseContinues(isEarlier: Bool, twice: Bool) throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            bucket.remove("realm/base")
            // As written, or raised, by an earlier version.
            if isEarlier { bucket.put(S3Base().encoded, "realm/base") }
            let other = try Self.open(bucket)
            if twice { bucket.failOnce(.twice, where: Self.isEntry) }
            #expect(try log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(try other.append([3], at: LogSlot(3), behind: SharedEntryHash(of: [2])))
            #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2], [3]])
            bucket.forgetRequests()
            #expect(try log.append([4], at: LogSlot(4), behind: SharedEntryHash(of: [3])))
            #expect(bucket.requests.count == 2)
        }

        /// All entries were removed, and the slot was filled by others, before the append had read
        /// the base.
        @Test func anEntryOfARecreatedLogIsKept() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            #expect(try log.append([1], at: .first))
            let remake = MemoryBucket.Fault.after {
                for key in bucket.keys { bucket.remove(key) }
                do {
                    let other = try Self.open(bucket)
                    for slot in UInt64(1)...2 { _ = try other.append([9], at: LogSlot(slot)) }
                } catch {
                    Issue.record(error)
                }
            }
            bucket.failOnce(remake) { $0.key.hasSuffix("/base") }
            #expect(try !log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(bucket.body("realm/entries/0000000000000002") == [9])
        }

        @Test func aHostDetectsARecreatedLog() async throws {
            let bucket = MemoryBucket()
            let host = try SharedHost(Self.open(bucket))
            try await host.write(1)
            for key in bucket.keys { bucket.remove(key) }
            let new = try SharedHost(Self.open(bucket))
            await #expect(throws: StorageError.superseded) { try await host.write(2) }
            await #expect {
                try await host.write(2)
            } throws: { error in
                if case StorageError.sharedLogDiverged = error { true } else { false }
            }
            for number in Int64(3)...5 { try await new.write(number) }
            #expect(host.numbers == [1] && new.numbers == [3, 4, 5])
            for host in [host, new] { try await host.store.close() }
        }

        /// A proxy gives such answers while the storage cannot be reached.
        @Test func anAnswerOfSomethingElseDoesNotSayThatAnObjectIsMissing() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            let layout = try #require(Self.layout)
            for slot in 1...1500 { bucket.put([1], layout.entry(LogSlot(UInt64(slot)))) }
            for isMeant: @Sendable (S3Request) -> Bool in [
                { $0.key.hasSuffix("/base") }, { $0.key.contains("/entries/") },
                { $0.key.isEmpty },
            ] {
                bucket.fail { isMeant($0) ? .answer(404) : nil }
                #expect(throws: SharedLogError.refused("The storage responded with HTTP 404.")) {
                    _ = try log.entries(from: .first, bytesMax: 9)
                }
            }
            bucket.fail(nil)
            #expect(try log.head().next == LogSlot(1501))
        }

        /// The log seemed to end there.
        @Test func anEmptyPageOfAListIsNotItsEnd() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            for slot in UInt64(1)...3 { #expect(try log.append([1], at: LogSlot(slot))) }
            bucket.fail { request in
                let isNext = request.parameters.contains { $0.name == "continuation-token" }
                guard request.key.isEmpty, !isNext else { return nil }
                return .text(
                    "<ListBucketResult><NextContinuationToken>a</NextContinuationToken>"
                        + "<IsTruncated>true</IsTruncated></ListBucketResult>")
            }
            #expect(try log.entries(from: .first, bytesMax: 9).count == 3)
            #expect(try Self.open(bucket).head().next == LogSlot(4))
            let noticed = ThreadSemaphore()
            log.watch(for: LogSlot(3)) { _ in noticed.signal() }
            #expect(noticed.wait(upTo: .seconds(60)))
        }

        /// Some storages do, and entries would not be found.
        @Test func aListThatIsNotInOrderIsRefused() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            let layout = try #require(Self.layout)
            let objects = [UInt64(2), 1].map { slot in
                "<Contents><Key>\(layout.entry(LogSlot(slot)))</Key><Size>1</Size></Contents>"
            }
            let list = "<ListBucketResult>\(objects.joined())</ListBucketResult>"
            bucket.fail { $0.key.isEmpty ? .text(list) : nil }
            let reason = "The storage does not list objects in the order of their names."
            #expect(throws: SharedLogError.refused(reason)) {
                try log.entries(from: .first, bytesMax: 9)
            }
        }

        /// Otherwise it could not be raised conditionally.
        @Test func aBaseWithoutATagIsRefused() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            bucket.fail { $0.method == .get ? .answer(200) : nil }
            let reason = "The storage does not return the ETag of an object."
            #expect(throws: SharedLogError.refused(reason)) { try log.base() }
        }

        // MARK: Messages

        /// Messages are read one after the other.
        @Test func anEntryIsReportedBeforeMessagesAreRead() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try Self.open(bucket), try Self.open(bucket))
            try other.send([7])
            #expect(try other.append([1], at: .first))
            let (notices, earlyNotices) = (Tally(), Tally())
            let isRead = ThreadSemaphore()
            bucket.failOnce(
                .after {
                    if notices.count == 1 { earlyNotices.add() }
                    isRead.signal()
                }
            ) { $0.method == .get && $0.key.contains("/messages/") }
            one.watch(for: .first) { _ in notices.add() }
            isRead.wait()
            #expect(earlyNotices.count == 1)
        }

        /// Competing hosts send many, and images sort before them.
        @Test func manyMessagesBehindImagesArrive() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            let layout = try #require(Self.layout)
            for slot in 1...100 { bucket.put([1], layout.image(LogSlot(UInt64(slot)))) }
            for number in 0..<100 { try log.send([UInt8(number)]) }
            let messages = try log.wait(for: .first, atMost: .seconds(60))
            #expect(messages == (0..<100).map { [UInt8($0)] })
        }

        @Test func aManuallyRemovedEntryIsDetected() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            for slot in 1...3 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            bucket.remove("realm/entries/0000000000000002")
            #expect(try log.entries(from: .first, bytesMax: 9).count == 1)
            #expect(throws: SharedLogError.refused("The entry of slot 2 is missing.")) {
                try log.entries(from: LogSlot(2), bytesMax: 9)
            }
        }

        @Test func theEndOfALongLogIsFound() throws {
            for count in [999, 1000, 1001, 2024, 2025, 5000] {
                let bucket = MemoryBucket()
                let log = try Self.open(bucket)
                let layout = try #require(Self.layout)
                for slot in 1...count { bucket.put([1], layout.entry(LogSlot(UInt64(slot)))) }
                bucket.forgetRequests()
                let next = LogSlot(UInt64(count + 1))
                #expect(try log.head() == SharedLogHead(first: .first, next: next))
                #expect(bucket.requests.count < 30)
                #expect(try log.append([2], at: next))
                #expect(try log.head().next == next.next)
            }
        }

        /// The search began at the previous end.
        @Test func theEndOfALogThatHasLostEntriesIsFound() throws {
            let bucket = MemoryBucket()
            let log = try Self.open(bucket)
            for slot in 1...5 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            for slot in 3...5 { bucket.remove("realm/entries/" + S3Layout.digits(UInt64(slot))) }
            #expect(try log.head().next == LogSlot(3))
        }
    }
#endif
