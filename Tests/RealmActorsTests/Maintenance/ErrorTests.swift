import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

private final class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}

// Safety: the tests own the arrays whose bytes they lend for the length of a call.

/// A store on a simulated disk, through the public interface.
private func withDisk(
    _ body: (SimulatedDisk, Realm.Configuration) async throws -> Void
) async throws {
    let disk = SimulatedDisk()
    try await body(disk, disk.configuration([Note.self]))
}

private func write(_ realm: Realm, _ id: Int, length: Int = 10) async throws {
    try await realm.write { tx in
        _ = try tx.create(
            Note.self, value: ["id": id, "text": String(repeating: "x", count: length)])
    }
}

private func ids(_ realm: Realm) -> [Int] { realm.objects(Note.self).values(of: \.id) }

/// Every error that a store's files or disk can cause, and the way out of each.
@Suite struct ErrorTests {
    /// Whoever had only missed the migration of another program was advised to erase the store.
    @Test func aSchemaThatAnotherProgramChangedIsNoReasonToErase() {
        let text = RealmError(StorageError.migrated(path: "a.realm")).description
        #expect(!text.contains("deleteIfMigrationNeeded"))
        #expect(text.contains("with the models of the program that migrated it"))
        let own = RealmError.schemaMismatch(differences: ["Property 'a' was added."]).description
        #expect(own.contains("deleteIfMigrationNeeded"))
    }

    @Test func aFailedSyncLatchesUntilReopened() async throws {
        try await withDisk { disk, configuration in
            let realm = try await Realm.open(configuration)
            try await write(realm, 1)
            let before = realm.snapshot()
            disk.resetCalls()
            for call in 1...4 { disk.inject(.init(.failedSync, call: call)) }
            do {
                try await write(realm, 2)
                Issue.record("The sync did not fail")
            } catch let error as RealmError {
                guard case .commitOutcomeUnknown(let cause) = error else { throw error }
                #expect(cause.contains("could not sync"))
                #expect(error.description.contains("reopen()"))
            }
            do {
                try await write(realm, 3)
                Issue.record("The store is not latched")
            } catch let error as RealmError {
                guard case .durabilityLost = error else { throw error }
                #expect(error.description.contains("reopen()"))
            }
            guard case .io(let operation, _, _)? = realm.failure else {
                Issue.record("no failure: \(String(describing: realm.failure))")
                return
            }
            #expect(operation == "sync")
            #expect(ids(realm) == [1] && before.objects(Note.self).count == 1)
            // Reading continues, also by functions that throw.
            let read = before.objects(Note.self).where { $0.id > 0 }
            #expect(try await read.evaluated().count == 1)
            disk.resetCalls()
            try await realm.reopen()
            #expect(realm.failure == nil)
            // Its outcome was unknown; now it is known.
            let found = ids(realm)
            #expect(found == [1] || found == [1, 2])
            try await write(realm, 4)
            #expect(ids(realm) == found + [4])
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test func aReopenThatFailsCanBeTriedAgain() async throws {
        try await withDisk { disk, configuration in
            let realm = try await Realm.open(configuration)
            try await write(realm, 1)
            disk.resetCalls()
            disk.inject(.init(.inputOutput, call: 1, isLasting: true))
            await #expect(throws: RealmError.self) { try await write(realm, 2) }
            await #expect(throws: RealmError.self) { try await realm.reopen() }
            await #expect(throws: RealmError.self) { try await write(realm, 3) }
            disk.resetCalls()
            try await realm.reopen()
            #expect(ids(realm).first == 1 && realm.failure == nil)
            try await write(realm, 4)
            try await realm.close()
        }
    }

    @Test func aFullDiskRefusesAndLatchesNothing() async throws {
        try await withDisk { disk, configuration in
            let realm = try await Realm.open(configuration)
            try await write(realm, 1)
            disk.resetCalls()
            disk.inject(.init(.noSpace, call: 1, isLasting: true))
            do {
                // Longer than what is claimed already.
                try await write(realm, 2, length: 1 << 20)
                Issue.record("The disk is not full")
            } catch RealmError.outOfSpace {
                #expect(RealmError.outOfSpace.description.contains("Free space"))
            }
            #expect(realm.failure == nil && ids(realm) == [1])
            disk.resetCalls()
            try await write(realm, 3, length: 1 << 20)
            #expect(ids(realm) == [1, 3])
            try await realm.close()
        }
    }

    @Test("D17, D19: what is no realm is left alone")
    func whatIsNoRealmIsLeftAlone() async throws {
        try await withStorePath { path in
            try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
            do {
                _ = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
                Issue.record("A text is no realm")
            } catch let error as RealmError {
                guard case .notARealm(let place, _) = error else { throw error }
                #expect(place == path && error.description.contains("Check the path"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("hello".utf8))
        }
    }

    @Test("Z3, Z14: a missing realm is not made")
    func aMissingRealmIsNotMadeReadOnly() async throws {
        try await withStorePath { path in
            do {
                _ = try await Realm.open(
                    .init(path: path, objectTypes: [Note.self], readOnly: true))
                Issue.record("There is none")
            } catch let error as RealmError {
                guard case .fileNotFound = error else { throw error }
                #expect(error.description.contains("Check the path"))
            }
        }
    }

    @Test func aLaterFormatIsRefused() async throws {
        try await withStorePath { path in
            let bytes = try await makeStoreOfALaterFormat(path)
            do {
                _ = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
                Issue.record("It opens")
            } catch let error as RealmError {
                #expect(error == .unsupportedFormat(found: 9, supported: 1))
                #expect(error.description.contains("newer version"))
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/superblock")) == bytes)
        }
    }

    @Test("Z11: a store of a format that is not supported is begun anew")
    func aLaterFormatIsDeletedWhenAskedFor() async throws {
        try await withStorePath { path in
            _ = try await makeStoreOfALaterFormat(path)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Note.self], deleteIfMigrationNeeded: true)
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .delete)
            let realm = try await Realm.open(configuration)
            #expect(ids(realm) == [])
            try await write(realm, 1)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// A store that says it is of format 9. Returns the file that says so.
    private func makeStoreOfALaterFormat(_ path: String) async throws -> Data {
        try await makeStore(path)
        let url = URL(fileURLWithPath: path + "/superblock")
        var bytes = [UInt8](try Data(contentsOf: url))
        for start in stride(from: 0, to: bytes.count, by: Superblock.slotSize) {
            guard bytes[start] != 0 else { continue }
            bytes[start + 8] = 9
            let end = start + Superblock.checkedSize
            let checksum = bytes[start..<end].withUnsafeBytes { XXH64.hash($0) }
            withUnsafeBytes(of: checksum.littleEndian) {
                bytes.replaceSubrange(end..<end + 8, with: $0)
            }
        }
        try Data(bytes).write(to: url)
        return Data(bytes)
    }

    /// A store as a process leaves it that is killed: with all of its log, and no checkpoint.
    private func makeStore(_ path: String) async throws {
        let open = path + ".open"
        let realm = try await Realm.open(.init(path: open, objectTypes: [Note.self]))
        for id in 1...5 { try await write(realm, id) }
        try FileManager.default.copyItem(atPath: open, toPath: path)
        try await realm.close()
    }

    @Test("D17: damage names its segment and offset")
    func damageNamesItsSegmentAndOffset() async throws {
        try await withStorePath { path in
            try await makeStore(path)
            let segment = path + "/log/0000000001.log"
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: segment)))
            let frames = LogFrames(bytes)
            let victim = frames.offsets[2]
            bytes[victim + FrameHeader.size + 20] ^= 1
            try Data(bytes).write(to: URL(fileURLWithPath: segment))
            do {
                _ = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
                Issue.record("It opens")
            } catch let error as RealmError {
                guard case .corrupted(segment, victim, _) = error else { throw error }
                #expect(error.description.contains("Realm.salvage"))
            }
        }
    }

    /// Damage within a record was reported at the store's folder, offset 0, when the checksum of
    /// its frame holds.
    @Test func damageBehindAGoodChecksumNamesItsSegmentAndOffset() async throws {
        try await withStorePath { path in
            try await makeStore(path)
            let segment = path + "/log/0000000001.log"
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: segment)))
            // The last group, whose record begins behind two headers.
            let frames = LogFrames(bytes)
            let victim = try #require(frames.offsets.last)
            let record = victim + FrameHeader.size + CommitGroupBuffer.recordHeaderSize
            bytes[record] = 77
            frames.seal(&bytes, at: victim)
            try Data(bytes).write(to: URL(fileURLWithPath: segment))
            try? FileManager.default.removeItem(atPath: path + "/log/horizon")
            do {
                _ = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
                Issue.record("It opens")
            } catch let error as RealmError {
                guard case .corrupted(segment, record, let reason) = error else { throw error }
                #expect(reason.contains("commit 6") && reason.contains("format"))
            }
        }
    }

    /// It said that nothing was written, and that only reopening would show the outcome.
    @Test func anOutcomeThatASharedLogOwesIsToldByReadingOn() {
        let error = RealmError(
            StorageError.commitOutcomeUnknown(cause: .sharedLogUnavailable(reason: "gone away")))
        let text = error.description
        #expect(text.contains("gone away") && text.contains("refreshed(.toNewest)"))
        #expect(!text.contains("othing was written"))
        let other = RealmError(StorageError.commitOutcomeUnknown(cause: .outOfSpace(path: "/x")))
        #expect(other.description.contains("/x"))
        #expect(!other.description.contains("othing was written"))
    }

    @Test("Z17: every case says what to do")
    func everyCaseSaysWhatToDo() {
        let errors: [(RealmError, String)] = [
            (.readOnly, "without readOnly"), (.closed, "Open the realm again"),
            (.schemaMismatch(differences: ["x"]), "Raise schemaVersion"),
            (.schemaDowngrade(stored: 2, configured: 1), "newer program"),
            (.fileNotFound(path: "x"), "Check the path"),
            (.notARealm(path: "x", reason: "y"), "Check the path"),
            (.unsupportedFormat(found: 2, supported: 1), "newer version"),
            (.outOfSpace, "Free space"), (OpeningNeed.schema.error(at: "x"), "usesStoredSchema"),
            (OpeningNeed.sharedLog.error(at: "x"), "open it again"),
            (.durabilityLost(cause: "x"), "reopen()"),
            (.commitOutcomeUnknown(cause: "x"), "reopen()"),
            (.commitOutcomeUnknown(cause: "x"), "refreshed(.toNewest)"),
            (.sharedLogDiverged(reason: "x"), "folder away"),
            (.sharedLogTrimmed(first: 9), "keep the realm's folder"),
            (.notInWriteTransaction, "Call write"), (.alreadyWriting, "Commit or cancel"),
            (.writerBusy(holder: "x"), "Keep writes short"),
            (.tooManyActiveVersions(active: 2, limit: 1, holders: ["x"]), "Release"),
            (.io(operation: "sync", path: "/x", code: 5), "Check the disk"),
            (.io(operation: "open", path: "/x", code: 24), "raise the limit of open files"),
            (.corrupted(segment: "x", offset: 1, reason: "y"), "restore a backup"),
            (.alreadyOpen(path: "x", difference: "y"), "Close it"),
            (.noPrimaryKey(className: "X"), "Declare one"),
            (.duplicatePrimaryKey(className: "X", key: "1"), "Use update"),
        ]
        for (error, remedy) in errors {
            #expect(error.description.contains(remedy), "\(error)")
        }
        #expect(
            RealmError.io(operation: "sync", path: "/x", code: 5).description
                .contains("Input/output error"))
    }
}
