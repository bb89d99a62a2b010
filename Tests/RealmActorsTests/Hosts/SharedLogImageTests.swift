import RealmActors
import Storage
import StorageHarness
import Testing

/// Hosts of a realm whose log is trimmed: they continue from images.
@Suite struct SharedLogImageTests {
    /// A host that makes an image whenever it has a little log.
    private static func eager(
        _ path: String, _ engine: MemorySharedLog.Engine
    ) -> Realm.Configuration {
        var configuration = configuration(path, engine)
        configuration.sharedLog?.imageBytesMin = 1 << 10
        return configuration
    }

    /// Writes until the log was trimmed beyond `slot`.
    private static func write(
        _ realm: Realm, _ engine: MemorySharedLog.Engine, from first: Int,
        untilTrimmedBeyond slot: LogSlot
    ) async throws -> Int {
        let log = MemorySharedLog(engine)
        var number = first
        while try log.head().first <= slot {
            let next = number
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": next])
            }
            number += 1
        }
        return number
    }

    @Test func aNewHostBeginsWithAnImage() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(Self.eager(path + "-1", engine))
            let count = try await Self.write(
                first, engine, from: 0, untilTrimmedBeyond: LogSlot(20))
            #expect(try MemorySharedLog(engine).images().count >= 2)
            let second = try await Realm.open(Self.eager(path + "-2", engine))
            #expect(second.objects(Mark.self).values(of: \.number) == Array(0..<count))
            #expect(second.latestVersion == first.latestVersion)
            #expect(second.sharing.host != first.sharing.host)
            try await second.write { tx in
                _ = try tx.create(Mark.self, value: ["number": count])
            }
            #expect(try await first.refreshed(.toNewest).objects(Mark.self).count == count + 1)
            try await second.close()
            let again = try await Realm.open(Self.eager(path + "-2", engine))
            for realm in [first, again] {
                #expect(realm.objects(Mark.self).count == count + 1)
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func aHostThatWasAwayGoesOnFromAnImage() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Realm.open(Self.eager(path + "-1", engine))
            let second = try await Realm.open(configuration(path + "-2", engine))
            _ = try await Self.write(first, engine, from: 0, untilTrimmedBeyond: .first)
            let host = second.sharing.host
            let known = try await second.refreshed(.toNewest).changeToken
            try await second.close()
            let end = try MemorySharedLog(engine).head().next
            let count = try await Self.write(
                first, engine, from: first.objects(Mark.self).count, untilTrimmedBeyond: end)
            let again = try await Realm.open(configuration(path + "-2", engine))
            #expect(again.sharing.host == host)
            #expect(again.objects(Mark.self).values(of: \.number) == Array(0..<count))
            // What it lacks is not left out.
            var commits = again.commits(since: known).makeAsyncIterator()
            await #expect {
                _ = try await commits.next()
            } throws: { error in
                if case RealmError.historyTrimmed = error { true } else { false }
            }
            #expect(try await again.verify().isIntact)
            for realm in [first, again] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// The error advised them to move their folders away, although there was no image to begin
    /// with.
    @Test func aLogThatWasTrimmedWithoutAnImageHasNotDiverged() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        try await withStorePath { path in
            let writer = try await Realm.open(configuration(path + "-1", engine))
            try await Realm.open(configuration(path + "-2", engine)).close()
            for number in 0..<3 {
                try await writer.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
            }
            try await writer.close()
            let next = try log.head().next
            try log.trim(below: next, imagesBelow: nil)
            for number in 2...3 {
                await #expect {
                    _ = try await Realm.open(configuration(path + "-\(number)", engine))
                } throws: { error in
                    error as? RealmError == .sharedLogTrimmed(first: next.rawValue)
                        && !"\(error)".contains("Move")
                }
            }
            // With the next image each continues in its folder.
            let again = try await Realm.open(Self.eager(path + "-1", engine))
            var count = 3
            while try log.images().isEmpty {
                let number = count
                try await again.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
                count += 1
            }
            try await again.close()
            for number in 2...3 {
                let realm = try await Realm.open(configuration(path + "-\(number)", engine))
                #expect(realm.objects(Mark.self).values(of: \.number) == Array(0..<count))
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            for number in 1...3 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    /// Calls `body` with a host that was cut off while `missed` marks were made, more than the log
    /// still has, and with what `before` returned when the host had one mark.
    private static func withHostBehindTrim<R>(
        _ path: String, before: (Realm) async throws -> R,
        _ body: (_ host: Realm, _ before: R, _ missed: Int) async throws -> Void
    ) async throws {
        let engine = SimulatedSharedLog.Engine(seed: 1)
        let cutOff = SimulatedSharedLog(engine)
        var other = configuration(path + "-2", engine.memory)
        other.sharedLog = Realm.SharedLog { cutOff }
        let first = try await Realm.open(eager(path + "-1", engine.memory))
        try await first.write { tx in _ = try tx.create(Mark.self, value: ["number": -1]) }
        let second = try await Realm.open(other)
        let before = try await before(second)
        cutOff.cutOff()
        let end = try MemorySharedLog(engine.memory).head().next
        let count = try await write(first, engine.memory, from: 0, untilTrimmedBeyond: end)
        cutOff.heal()
        try await body(second, before, count)
        for realm in [first, second] {
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
        for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
    }

    @Test func aStreamTellsOneChangeForWhatWasTrimmed() async throws {
        try await withStorePath { path in
            try await Self.withHostBehindTrim(path) { host in
                var elements = host.objects(Mark.self).changes().makeAsyncIterator()
                let initial = try await elements.next()
                #expect(initial?.collection.count == 1)
                return (elements, host.snapshot())
            } _: { host, before, count in
                var (elements, held) = before
                guard
                    case .update(let marks, let deletions, let insertions, let modifications) =
                        try await elements.next()
                else {
                    Issue.record("The stream delivered no change")
                    return
                }
                #expect(deletions.isEmpty && modifications.isEmpty)
                #expect(insertions == Array(1..<marks.count))
                #expect(held.objects(Mark.self).values(of: \.number) == [-1])
                let newest = try await host.refreshed(.toNewest)
                #expect(newest.objects(Mark.self).values(of: \.number) == Array(-1..<count))
            }
        }
    }

    @Test func commitsThatWereTrimmedAreNotLeftOut() async throws {
        try await withStorePath { path in
            try await Self.withHostBehindTrim(path) { host in
                host.commits(since: host.snapshot().changeToken).makeAsyncIterator()
            } _: { host, before, count in
                let newest = try await host.refreshed(.toNewest)
                var commits = before
                await #expect {
                    _ = try await commits.next()
                } throws: { error in
                    if case RealmError.historyTrimmed = error { true } else { false }
                }
                // From there on, each change is reported.
                var later = host.commits(since: newest.changeToken).makeAsyncIterator()
                try await host.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": count])
                }
                let commit = try await later.next()
                let inserted = commit?.insertions(of: Mark.self).map { $0.values["number"] }
                #expect(inserted == [.value(.int(count))])
            }
        }
    }
}
