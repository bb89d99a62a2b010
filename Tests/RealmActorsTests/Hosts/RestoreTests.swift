import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// Versions of the past, made of what a shared log has.
@Suite struct RestoreTests {
    private static func log(_ engine: MemorySharedLog.Engine) -> Realm.SharedLog {
        Realm.SharedLog { MemorySharedLog(engine) }
    }

    /// A configuration of what was restored to `path`.
    private static func restored(_ path: String) -> Realm.Configuration {
        .init(path: path, objectTypes: [Mark.self, LongText.self])
    }

    private static func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": number]) }
    }

    /// Restores to `path`, and returns what is there; nothing is left there.
    private static func numbers(
        _ engine: MemorySharedLog.Engine, asOf point: Realm.RestorePoint, _ path: String
    ) async throws -> [Int] {
        try await Realm.restore(from: log(engine), asOf: point, to: path)
        let realm = try await Realm.open(restored(path))
        let numbers = realm.objects(Mark.self).values(of: \.number)
        #expect(try await realm.verify().isIntact)
        try await realm.close()
        try Realm.deleteFiles(at: path)
        return Array(numbers)
    }

    @Test func eachVersionIsRestoredAlsoThoseWithinAGroup() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            let first = realm.latestVersion
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<24 {
                    group.addTask { try await Self.add(number, to: realm) }
                }
                try await group.waitForAll()
            }
            var expected: [Realm.Version: Set<Int>] = [first: []]
            var seen: Set<Int> = []
            for try await commit in realm.pastCommits() where commit.version > first {
                for mark in commit.insertions(of: Mark.self) {
                    if case .int(let number)? = mark.values["number"]?.frozen {
                        seen.insert(number)
                    }
                }
                expected[commit.version] = seen
            }
            #expect(expected.count == 25 && seen.count == 24)
            for (version, numbers) in expected {
                let found = try await Self.numbers(engine, asOf: .version(version), path + "-r")
                #expect(Set(found) == numbers)
            }
            let newest = try await Self.numbers(engine, asOf: .newest, path + "-r")
            #expect(newest.count == 24)
            try await realm.close()
            try Realm.deleteFiles(at: path)
        }
    }

    @Test func aDateIsRestored() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            var configuration = configuration(path, engine)
            configuration.sharedLog?.imageBytesMin = 1 << 10
            configuration.history = .keep(bytes: 1 << 20)
            let realm = try await Realm.open(configuration)
            var dates: [Date] = []
            while try dates.count < 8 || MemorySharedLog(engine).images().count < 2 {
                try await Self.add(dates.count, to: realm)
                try await Task.sleep(for: .milliseconds(2))
                dates.append(Date())
                try await Task.sleep(for: .milliseconds(2))
            }
            try await realm.close()
            for (number, date) in dates.enumerated() {
                let found = try await Self.numbers(engine, asOf: .date(date), path + "-r")
                #expect(found == Array(0...number))
            }
            try Realm.deleteFiles(at: path)
        }
    }

    @Test func whatWasTrimmedIsRefused() async throws {
        let engine = MemorySharedLog.Engine()
        let log = MemorySharedLog(engine)
        try await withStorePath { path in
            var configuration = configuration(path, engine)
            configuration.sharedLog?.imageBytesMin = 1 << 10
            let realm = try await Realm.open(configuration)
            let begin = Date()
            var versions: [Realm.Version] = []
            while try log.head().first <= LogSlot(12) {
                try await Self.add(versions.count, to: realm)
                versions.append(realm.latestVersion)
            }
            try await realm.close()
            for point in [Realm.RestorePoint.version(versions[0]), .date(begin)] {
                await #expect {
                    try await Realm.restore(from: Self.log(engine), asOf: point, to: path + "-r")
                } throws: { error in
                    "\(error)".contains("trimmed") && "\(error)".contains("The oldest")
                }
            }
            // From the oldest image on, each is there: of some that are spread over all.
            var restored = 0
            let step = max(1, versions.count / 16)
            for number in stride(from: versions.count - 1, through: 0, by: -step).reversed() {
                let version = versions[number]
                let found = try? await Self.numbers(engine, asOf: .version(version), path + "-r")
                if found == nil, restored == 0 { continue }
                #expect(found == Array(0...number))
                restored += 1
            }
            #expect(restored > 1 && restored < versions.count)
            try Realm.deleteFiles(at: path)
            try Self.requireNothing(beside: path)
        }
    }

    /// Nothing is left of what was done beside a path.
    private static func requireNothing(beside path: String) throws {
        let url = URL(fileURLWithPath: path)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: url.deletingLastPathComponent().path)
        #expect(names.filter { $0.hasPrefix(url.lastPathComponent + "-") } == [])
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            await #expect {
                try await Realm.restore(from: Self.log(engine), asOf: .newest, to: path + "-r")
            } throws: { error in
                "\(error)".contains("no commit")
            }
            let realm = try await Realm.open(configuration(path, engine))
            try await Self.add(1, to: realm)
            let version = realm.latestVersion
            try await Self.add(2, to: realm)
            try await realm.close()
            await #expect {
                try await Realm.restore(from: Self.log(engine), asOf: .newest, to: path)
            } throws: { error in
                "\(error)".contains("already")
            }
            let other = MemorySharedLog.Engine()
            let short = try await Realm.open(configuration(path + "-2", other))
            try await short.close()
            await #expect {
                try await Realm.restore(
                    from: Self.log(other), asOf: .version(version), to: path + "-r")
            } throws: { error in
                "\(error)".contains("ends with version")
            }
            for name in [path, path + "-2"] { try Realm.deleteFiles(at: name) }
            try Self.requireNothing(beside: path)
        }
    }

    /// Temporary files were to be made inside the folder, which did not exist.
    @Test func aPathMayEndWithASlash() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            try await Self.add(1, to: realm)
            try await realm.close()
            try await Realm.restore(from: Self.log(engine), asOf: .newest, to: path + "-r/")
            let restored = try await Realm.open(Self.restored(path + "-r"))
            #expect(restored.objects(Mark.self).count == 1)
            try await restored.close()
            for name in [path, path + "-r"] { try Realm.deleteFiles(at: name) }
            try Self.requireNothing(beside: path)
        }
    }

    @Test func impossibleArgumentsAreRefused() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let cases: [(Realm.RestorePoint, String, String)] = [
                (.newest, "", "empty"),
                (.date(Date(timeIntervalSince1970: .nan)), path, "not a number"),
            ]
            for (point, path, reason) in cases {
                await #expect("\(reason)") {
                    try await Realm.restore(from: Self.log(engine), asOf: point, to: path)
                } throws: { error in
                    if case RealmError.invalidValue(let text) = error {
                        text.contains(reason)
                    } else {
                        false
                    }
                }
            }
        }
    }

    /// The first connection was tried once.
    @Test func aLogThatDoesNotAnswerAtFirstIsAskedAgain() async throws {
        let engine = MemorySharedLog.Engine()
        let attempts = Mutex(0)
        let log = Realm.SharedLog {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt < 3 { throw StorageError.sharedLogUnavailable(reason: "it starts") }
            return MemorySharedLog(engine)
        }
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            try await Self.add(1, to: realm)
            let version = try await Realm.restore(from: log, asOf: .newest, to: path + "-r")
            #expect(version == realm.latestVersion)
            #expect(attempts.withLock { $0 } == 3)
            try await realm.close()
            for name in [path, path + "-r"] { try Realm.deleteFiles(at: name) }
        }
    }

    @Test func aLogThatRefusesIsAskedOnce() async throws {
        let attempts = Mutex(0)
        let log = Realm.SharedLog {
            attempts.withLock { $0 += 1 }
            throw StorageError.sharedLogRefused(reason: "no rights")
        }
        try await withStorePath { path in
            _ = await #expect(throws: RealmError.sharedLogRefused(reason: "no rights")) {
                try await Realm.restore(from: log, asOf: .newest, to: path)
            }
        }
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test func whatWasRestoredIsARealmOfItsOwn() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Realm.open(configuration(path, engine))
            try await Self.add(1, to: realm)
            let version = try await Realm.restore(
                from: Self.log(engine), asOf: .newest, to: path + "-r")
            #expect(version == realm.latestVersion)
            let own = try await Realm.open(Self.restored(path + "-r"))
            try await Self.add(2, to: own)
            #expect(own.sharing.host == nil && own.objects(Mark.self).count == 2)
            #expect(try await realm.refreshed(.toNewest).objects(Mark.self).count == 1)
            for realm in [realm, own] { try await realm.close() }
            for name in [path, path + "-r"] { try Realm.deleteFiles(at: name) }
        }
    }
}
