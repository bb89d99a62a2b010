import Storage
import Testing

@testable import RealmActors

/// Encrypted realms on a shared log, whose engine sees sizes and times only.
@Suite(.enabled(if: EncryptionAlgorithm.isAvailable)) struct EncryptionHostTests {
    private static func configuration(
        _ path: String, _ engine: MemorySharedLog.Engine, _ key: EncryptionKey?
    ) -> Realm.Configuration {
        var configuration = EncryptionTests.configuration(path, key)
        configuration.sharedLog = Realm.SharedLog { MemorySharedLog(engine) }
        configuration.sharedLog?.imageBytesMin = 1 << 10
        return configuration
    }

    @Test func aHostBeginsWithAnImageThatIsSealed() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        let key = try EncryptionKey.made()
        try await withStorePath { path in
            let first = try await Realm.open(Self.configuration(path + "-1", engine, key))
            var days = 0
            while try log.head().first <= LogSlot(3) {
                try await EncryptionTests.fill(first, days..<days + 1)
                days += 1
            }
            for other in [try EncryptionKey.made(2), nil] {
                let error: RealmError =
                    other == nil
                    ? .keyMissing(path: "The shared log") : .wrongKey(path: "The shared log")
                await #expect(throws: error) {
                    _ = try await Realm.open(Self.configuration(path + "-3", engine, other))
                }
                try Realm.deleteFiles(at: path + "-3")
            }
            let second = try await Realm.open(Self.configuration(path + "-2", engine, key))
            EncryptionTests.check(second, days)
            try await EncryptionTests.fill(second, days..<days + 1)
            _ = try await first.refreshed(.toNewest)
            for realm in [first, second] {
                EncryptionTests.check(realm, days + 1)
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            try Self.requireSealed(log)
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    @Test func whatIsRestoredHasTheSameKey() async throws {
        let engine = MemorySharedLog.Engine()
        let key = try EncryptionKey.made()
        try await withStorePath { path in
            let realm = try await Realm.open(Self.configuration(path + "-1", engine, key))
            var days = 0
            while try MemorySharedLog(engine).images().isEmpty {
                try await EncryptionTests.fill(realm, days..<days + 1)
                days += 1
            }
            try await EncryptionTests.fill(realm, days..<days + 1)
            let log = Realm.SharedLog { MemorySharedLog(engine) }
            await #expect(throws: RealmError.wrongKey(path: "The shared log")) {
                try await Realm.restore(
                    from: log, asOf: .newest, to: path + "-2",
                    encryptionKey: try EncryptionKey.made(2))
            }
            try await Realm.restore(
                from: log, asOf: .newest, to: path + "-2", encryptionKey: key)
            await #expect(throws: RealmError.self) {
                try await Realm.open(EncryptionTests.configuration(path + "-2", nil))
            }
            let restored = try await Realm.open(EncryptionTests.configuration(path + "-2", key))
            EncryptionTests.check(restored, days + 1)
            for realm in [realm, restored] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }

    private static func requireSealed(_ log: MemorySharedLog) throws {
        var pieces = try log.entries(from: try log.head().first, bytesMax: .max).map(\.bytes)
        for image in try log.images() {
            for number in 0..<image.parts { pieces.append(try log.part(number, of: image)) }
        }
        #expect(pieces.count > 4)
        for text in [EncryptionTests.secret, "Diary", "title 1"] {
            for piece in pieces { #expect(!piece.contains(Array(text.utf8))) }
        }
    }
}
