import Foundation
import Storage
import Testing

@testable import RealmActors

final class Diary: Object {
    @Persisted(primaryKey: true) var day: Int
    @Persisted(indexed: true) var title: String
    @Persisted var text: String
    @Persisted var notes: List<String>
}

extension EncryptionKey {
    /// A key of the tests.
    static func made(_ seed: UInt8 = 1) throws -> EncryptionKey {
        try EncryptionKey((0..<64).map { UInt8($0) &* 5 &+ seed })
    }
}

/// Encrypted realms, through the public interface.
@Suite(.enabled(if: EncryptionAlgorithm.isAvailable)) struct EncryptionTests {
    static let secret = "the secret of the whole thing, long enough for a chunk of its own"

    static func configuration(
        _ path: String, _ key: EncryptionKey?, readOnly: Bool = false
    ) -> Realm.Configuration {
        .init(path: path, objectTypes: [Diary.self], readOnly: readOnly, encryptionKey: key)
    }

    static func fill(_ realm: Realm, _ days: Range<Int>) async throws {
        try await realm.write(author: "secretary") { tx in
            for day in days {
                let page = try tx.create(
                    Diary.self, value: ["day": day, "title": "title \(day)", "text": secret])
                page.notes.append("note of \(day)")
            }
        }
    }

    static func check(_ realm: Realm, _ count: Int) {
        let pages = realm.objects(Diary.self)
        #expect(pages.count == count && realm.failure == nil)
        for page in pages {
            #expect(page.title == "title \(page.day)" && page.text == secret)
            #expect(Array(page.notes) == ["note of \(page.day)"])
        }
    }

    /// All bytes of a realm's files.
    static func bytes(at path: String) throws -> Data {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return names.sorted().reduce(into: Data()) {
            $0 += FileManager.default.contents(atPath: path + "/" + $1) ?? Data()
        }
    }

    @Test("E1: what was written is read again and not seen on disk")
    func whatWasWrittenIsReadAgainAndNotSeenOnDisk() async throws {
        for key in [try .made(), nil] as [EncryptionKey?] {
            try await withStorePath { path in
                let realm = try await Realm.open(Self.configuration(path, key))
                try await Self.fill(realm, 0..<300)
                #expect(try await realm.verify().isIntact)
                try await realm.close()
                for words in [Self.secret, "Diary", "title", "secretary", "note of"] {
                    let isSeen = try Self.bytes(at: path).range(of: Data(words.utf8)) != nil
                    #expect(isSeen == (key == nil), "\(words)")
                }
                let again = try await Realm.open(Self.configuration(path, key))
                Self.check(again, 300)
                #expect(again.objects(Diary.self).where { $0.title == "title 7" }.count == 1)
                try await Self.fill(again, 300..<350)
                try await again.compact()
                #expect(try await again.verify().isIntact)
                try await again.close()
                let reader = try await Realm.open(Self.configuration(path, key, readOnly: true))
                Self.check(reader, 350)
                try await reader.close()
            }
        }
    }

    @Test("D17, E1: each mistake with a key is an error of its own")
    func eachMistakeWithAKeyIsAnErrorOfItsOwn() async throws {
        try await withStorePath { path in
            let plain = path + "-plain"
            defer { try? FileManager.default.removeItem(atPath: plain) }
            let key = try EncryptionKey.made()
            try await Realm.open(Self.configuration(path, key)).close()
            try await Realm.open(Self.configuration(plain, nil)).close()
            await #expect(throws: RealmError.keyMissing(path: path)) {
                try await Realm.open(Self.configuration(path, nil))
            }
            await #expect(throws: RealmError.wrongKey(path: path)) {
                try await Realm.open(Self.configuration(path, .made(2)))
            }
            await #expect(throws: RealmError.notEncrypted(path: plain)) {
                try await Realm.open(Self.configuration(plain, key))
            }
            try await Realm.open(Self.configuration(path, key)).close()
            // Neither of them is damage, nor something that is no realm.
            let text = path + "-text"
            defer { try? FileManager.default.removeItem(atPath: text) }
            try Data("hello".utf8).write(to: URL(fileURLWithPath: text))
            await #expect {
                try await Realm.open(Self.configuration(text, key))
            } throws: { error in
                guard case RealmError.notARealm(text, _) = error else { return false }
                return true
            }
            let url = URL(fileURLWithPath: path + "/log/0000000001.log")
            var bytes = try Data(contentsOf: url)
            for index in 0..<min(bytes.count, 4096) { bytes[index] ^= 0x55 }
            try bytes.write(to: url)
            await #expect {
                try await Realm.open(Self.configuration(path, key))
            } throws: { error in
                guard case RealmError.corrupted = error else { return false }
                return true
            }
        }
    }

    @Test("Z10: a second opening has the same key")
    func aSecondOpeningHasToHaveTheSameKey() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(Self.configuration(path, .made()))
            let second = try await Realm.open(Self.configuration(path, .made()))
            #expect(second.latestVersion == realm.latestVersion)
            for key in [try .made(2), nil] as [EncryptionKey?] {
                await #expect {
                    try await Realm.open(Self.configuration(path, key))
                } throws: { error in
                    guard case RealmError.alreadyOpen(_, let difference) = error else {
                        return false
                    }
                    return difference.contains("encryptionKey")
                }
            }
            try await realm.close()
        }
    }

    @Test("E2: another key takes the old one's place")
    func anotherKeyTakesTheOldOnesPlace() async throws {
        try await withStorePath { path in
            let (old, new) = (try EncryptionKey.made(), try EncryptionKey.made(2))
            let realm = try await Realm.open(Self.configuration(path, old))
            try await Self.fill(realm, 0..<50)
            try await realm.rekey(to: new)
            #expect(realm.configuration.encryptionKey == new)
            try await Self.fill(realm, 50..<60)
            try await realm.reopen()
            Self.check(realm, 60)
            await #expect(throws: RealmError.self) {
                try await Realm.open(Self.configuration(path, old))
            }
            try await realm.close()
            await #expect(throws: RealmError.wrongKey(path: path)) {
                try await Realm.open(Self.configuration(path, old))
            }
            let again = try await Realm.open(Self.configuration(path, new))
            Self.check(again, 60)
            try await again.close()
            await #expect(throws: RealmError.closed) { try await again.rekey(to: old) }
            let reader = try await Realm.open(Self.configuration(path, new, readOnly: true))
            await #expect(throws: RealmError.readOnly) { try await reader.rekey(to: old) }
            try await reader.close()
        }
        try await withFreshRealm([Diary.self]) { plain in
            let path = plain.configuration.path ?? ""
            await #expect(throws: RealmError.notEncrypted(path: path)) {
                try await plain.rekey(to: .made())
            }
        }
    }

    @Test(
        "W1: a copy has the key that it is given",
        arguments: [nil, 1, 2] as [UInt8?], [nil, 1, 2] as [UInt8?])
    func aCopyHasTheKeyThatItIsGiven(source: UInt8?, target: UInt8?) async throws {
        try await withStorePath { path in
            let copy = path + "-copy"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let realm = try await Realm.open(Self.configuration(path, source.map { try .made($0) }))
            try await Self.fill(realm, 0..<200)
            let key = try target.map { try EncryptionKey.made($0) }
            try await realm.writeCopy(to: copy, encryptionKey: key)
            try await realm.close()
            let isSeen = try Self.bytes(at: copy).range(of: Data(Self.secret.utf8)) != nil
            #expect(isSeen == (target == nil))
            let copied = try await Realm.open(Self.configuration(copy, key))
            Self.check(copied, 200)
            #expect(try await copied.verify().isIntact)
            try await copied.close()
        }
    }

    /// Only the first opening looked at both copies of the key.
    @Test func reopeningReplacesADamagedCopyOfTheKey() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(Self.configuration(path, .made()))
            try await Self.fill(realm, 0..<2)
            let file = URL(fileURLWithPath: path + "/key")
            var damaged = try Data(contentsOf: file)
            damaged.resetBytes(in: 0..<4096)
            try damaged.write(to: file)
            try await realm.reopen()
            #expect(try Data(contentsOf: file).prefix(4096) != Data(count: 4096))
            Self.check(realm, 2)
            try await realm.close()
        }
    }

    @Test func historyTellsWhatWasWritten() async throws {
        try await withStorePath { path in
            var configuration = Self.configuration(path, try .made())
            configuration.history = .keep(bytes: 1 << 20)
            let realm = try await Realm.open(configuration)
            let token = realm.snapshot().changeToken
            for day in 0..<5 { try await Self.fill(realm, day..<day + 1) }
            var days: [Int] = []
            for try await commit in realm.commits(since: token) {
                #expect(commit.author == "secretary")
                days.append(days.count)
                if days.count == 5 { break }
            }
            #expect(days == [0, 1, 2, 3, 4])
            try await realm.close()
        }
    }

    @Test func salvageNeedsTheKeyAndKeepsIt() async throws {
        try await withStorePath { path in
            let rescued = path + "-rescued"
            let open = path + ".open"
            defer { try? FileManager.default.removeItem(atPath: rescued) }
            let key = try EncryptionKey.made()
            let realm = try await Realm.open(Self.configuration(open, key))
            for day in 0..<40 { try await Self.fill(realm, day..<day + 1) }
            try FileManager.default.copyItem(atPath: open, toPath: path)
            try await realm.close()
            try FileManager.default.removeItem(atPath: open)
            let file = try #require(FileHandle(forUpdatingAtPath: path + "/log/0000000001.log"))
            // A frame in the middle, and the segment's header.
            for offset in [40, 5000] as [UInt64] {
                try file.seek(toOffset: offset)
                try file.write(contentsOf: Data([0xAA, 0xBB, 0xCC, 0xDD]))
            }
            try file.close()
            await #expect(throws: RealmError.keyMissing(path: path)) {
                try await Realm.salvage(from: path, to: rescued)
            }
            await #expect(throws: RealmError.wrongKey(path: path)) {
                try await Realm.salvage(from: path, to: rescued, encryptionKey: .made(2))
            }
            let report = try await Realm.salvage(from: path, to: rescued, encryptionKey: key)
            #expect(!report.isComplete)
            let again = try await Realm.open(Self.configuration(rescued, key))
            #expect(again.objects(Diary.self).count >= 35, "\(report)")
            try await again.close()
            #expect(try Self.bytes(at: rescued).range(of: Data(Self.secret.utf8)) == nil)
        }
    }
}

/// What holds with and without a library of cryptography.
@Suite struct EncryptionKeyTests {
    @Test("E1, Z9: a key has 64 bytes")
    func aKeyHas64Bytes() throws {
        for count in [0, 32, 63, 65, 128] {
            #expect(throws: RealmError.invalidEncryptionKey(byteCount: count)) {
                try EncryptionKey([UInt8](repeating: 1, count: count))
            }
        }
        let bytes = (0..<64).map { UInt8($0) }
        #expect(try EncryptionKey(Data(bytes)).bytes == bytes)
        #expect(try EncryptionKey(bytes) == EncryptionKey(bytes))
        #expect(EncryptionKey.random() != EncryptionKey.random())
    }

    @Test func noDescriptionShowsTheKey() throws {
        let key = try EncryptionKey([UInt8](repeating: 123, count: 64))
        let configuration = Realm.Configuration(path: "diary.realm", encryptionKey: key)
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\(configuration)", dumped] {
            #expect(!text.contains("123"), "\(text)")
        }
    }

    @Test func inMemoryAnyKeyWillDo() async throws {
        let name = UUID().uuidString
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: name, objectTypes: [Diary.self], encryptionKey: .made()))
        try await EncryptionTests.fill(realm, 0..<10)
        EncryptionTests.check(realm, 10)
        await #expect(throws: RealmError.self) {
            try await Realm.open(
                .init(
                    inMemoryIdentifier: name, objectTypes: [Diary.self], encryptionKey: .made(2)))
        }
        await #expect(throws: RealmError.self) { try await realm.rekey(to: .made()) }
        try await realm.close()
    }

    @Test func everyMistakeSaysWhatToDo() {
        let errors: [(RealmError, String)] = [
            (.keyMissing(path: "a"), "encryptionKey"), (.wrongKey(path: "a"), "rekey"),
            (.notEncrypted(path: "a"), "writeCopy"),
            (.invalidEncryptionKey(byteCount: 3), "exactly 64"),
            (.encryptionUnavailable, "--traits Encryption"),
        ]
        for (error, remedy) in errors { #expect(error.description.contains(remedy)) }
    }

    @Test(.enabled(if: !EncryptionAlgorithm.isAvailable))
    func withoutCryptographyAKeyIsRefused() async throws {
        try await withStorePath { path in
            let configuration = EncryptionTests.configuration(path, try .made())
            await #expect(throws: RealmError.encryptionUnavailable) {
                try await Realm.open(configuration)
            }
        }
    }
}
