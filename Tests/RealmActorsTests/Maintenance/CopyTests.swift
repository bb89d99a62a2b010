import Foundation
import RealmActors
import Testing

private final class Page: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted var text = ""
    @Persisted var next: Page?
    @Persisted var notes: List<String>
}

/// Copies of stores that are in use.
@Suite struct CopyTests {
    private static func check(_ realm: Realm, _ count: Int) {
        let pages = realm.objects(Page.self)
        #expect(pages.count == count)
        for page in pages {
            #expect(page.text == String(repeating: "t", count: page.number))
            #expect(page.next?.number == (page.number == 0 ? nil : page.number - 1))
            #expect(Array(page.notes) == ["note \(page.number)"])
        }
        #expect(realm.failure == nil)
    }

    private static func fill(_ realm: Realm, _ numbers: Range<Int>) async throws {
        try await realm.write { tx in
            for number in numbers {
                let page = try tx.create(Page.self, value: ["number": number])
                page.text = String(repeating: "t", count: number)
                page.next = tx.object(Page.self, forPrimaryKey: number - 1)
                page.notes.append("note \(number)")
            }
        }
    }

    @Test("W1: a copy holds the version it began with")
    func aCopyHoldsTheVersionItBeganWith() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Page.self], writeTimeout: nil)
            let copy = path + ".copy"
            let second = copy + "2"
            defer {
                try? FileManager.default.removeItem(atPath: copy)
                try? FileManager.default.removeItem(atPath: second)
            }
            let realm = try await Realm.open(configuration)
            try await Self.fill(realm, 0..<600)
            try await realm.writeCopy(to: copy)
            try await Self.fill(realm, 600..<700)
            try await realm.close()

            // Once more from a store of which nothing is in memory, and which has page files.
            let again = try await Realm.open(configuration)
            try await again.writeCopy(to: second)
            for (path, count) in [(copy, 600), (second, 700)] {
                let copied = try await Realm.open(
                    .init(path: path, objectTypes: [Page.self], writeTimeout: nil))
                Self.check(copied, count)
                let report = try await copied.verify()
                #expect(report.problems.isEmpty)
                try await Self.fill(copied, count..<count + 50)
                try await copied.close()
                let reopened = try await Realm.open(
                    .init(path: path, objectTypes: [Page.self], writeTimeout: nil))
                Self.check(reopened, count + 50)
                try await reopened.close()
            }
            Self.check(again, 700)
            await #expect(throws: RealmError.self) { try await again.writeCopy(to: copy) }
            try await again.close()
        }
    }

    /// Nothing said which version a copy had: whoever asked for the newest one before it was made
    /// may have got an older one.
    @Test("W1: a copy has the version that it is said to have")
    func aCopySaysItsVersion() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Page.self], writeTimeout: nil))
            let first = realm.latestVersion
            let writer = Task {
                var number = 0
                while !Task.isCancelled {
                    try await Self.fill(realm, number..<number + 1)
                    number += 1
                }
            }
            for _ in 0..<6 {
                let before = realm.latestVersion
                let version = try await realm.writeCopy(to: path + ".copy")
                let copied = try await Realm.open(
                    .init(path: path + ".copy", objectTypes: [Page.self], writeTimeout: nil))
                // Each commit has added a page.
                Self.check(copied, Int(version.rawValue - first.rawValue))
                #expect(version >= before && version <= realm.latestVersion)
                try await copied.close()
                try Realm.deleteFiles(at: path + ".copy")
            }
            writer.cancel()
            _ = try? await writer.value
            try await realm.close()
        }
    }

    @Test("W1: where something is already, or no folder is, nothing is copied")
    func wrongPlaces() async throws {
        try await withFreshRealm([Page.self]) { realm in
            try await Self.fill(realm, 0..<3)
            try await withStorePath { place in
                let inside = place + "/a/b.realm"
                await #expect(throws: RealmError.self) { try await realm.writeCopy(to: inside) }
                #expect(!FileManager.default.fileExists(atPath: place))

                try Data("hello".utf8).write(to: URL(fileURLWithPath: place))
                await #expect(throws: RealmError.self) { try await realm.writeCopy(to: place) }
                #expect(FileManager.default.contents(atPath: place) == Data("hello".utf8))
            }
            let own = try #require(realm.configuration.path)
            await #expect(throws: RealmError.self) { try await realm.writeCopy(to: own) }
            // Was a failure of the disk, at the rename to no name.
            let error = await #expect(throws: RealmError.self) {
                try await realm.writeCopy(to: "")
            }
            #expect(error?.description.contains("is empty") == true)
            Self.check(realm, 3)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Realm copies what an open write has changed as well.
    @Test("W1: a copy that is made during an open write has the newest version")
    @MainActor
    func copyDuringAWrite() async throws {
        try await withFreshRealm([Page.self]) { realm in
            try await Self.fill(realm, 0..<3)
            try await withStorePath { copy in
                let live = try await realm.live()
                try await live.beginWrite()
                try live.create(Page.self, value: ["number": 77])
                try await realm.writeCopy(to: copy)
                try await live.commitWrite()
                let copied = try await Realm.open(
                    .init(path: copy, objectTypes: [Page.self], writeTimeout: nil))
                Self.check(copied, 3)
                #expect(realm.objects(Page.self).count == 4)
                try await copied.close()
            }
        }
    }

    @Test func aCancelledCopyLeavesNothing() async throws {
        try await withFreshRealm([Page.self]) { realm in
            try await Self.fill(realm, 0..<300)
            let copy = TestFolder.path("copy")
            let copying = Task { try await realm.writeCopy(to: copy) }
            copying.cancel()
            await #expect(throws: CancellationError.self) { try await copying.value }
            #expect(!FileManager.default.fileExists(atPath: copy))
        }
    }

    /// Two copies to one path at once: the second failed, and removed the files of the first while
    /// that was still writing them.
    @Test func severalCopiesToOnePathLeaveOneThatIsWhole() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Page.self], writeTimeout: nil)
            let copy = path + ".copy"
            let realm = try await Realm.open(configuration)
            try await Self.fill(realm, 0..<60)
            let made = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        do {
                            try await realm.writeCopy(to: copy)
                            return true
                        } catch {
                            #expect("\(error)".contains("exists already"))
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(made == 1)
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            // Other tests make copies there, too.
            let draft = URL(fileURLWithPath: copy).lastPathComponent + ".copying-"
            #expect(!names.contains { $0.hasPrefix(draft) })
            let copied = try await Realm.open(
                Realm.Configuration(path: copy, objectTypes: [Page.self], writeTimeout: nil))
            Self.check(copied, 60)
            try await copied.close()
            try await realm.close()
        }
    }
}
