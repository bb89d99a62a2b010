import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

private enum Plain {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var code: Int
        @Persisted var city: String
    }
}
private enum Indexed {
    final class Parcel: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted(indexed: true) var code: Int
        @Persisted var city: String
        static var indexes: [Index<Parcel>] { [Index(.ascending(\.city), .descending(\.code))] }
    }
}
private enum Wide {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int16
        @Persisted var code: Int
        @Persisted var city: String
    }
}
private enum Narrow {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var code: Int8
        @Persisted var city: String
    }
}
private enum Noted {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var code: Int
        @Persisted var city: String
        @Persisted var note: String = "none"
    }
}
private enum Carried {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var code: Int
        @Persisted var city: String
        @Persisted var courier: Courier?
    }
    final class Courier: Object {
        @Persisted var name: String
    }
}
private enum Ranked {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var code: Int
        @Persisted var city: String
        @Persisted(indexed: true) var rank: Int?
    }
}

/// Hosts of one realm that have different models, as while a service is deployed anew.
@Suite struct SharedLogSchemaTests {
    private static func open(
        _ path: String, _ engine: MemorySharedLog.Engine, _ type: ObjectBase.Type,
        version: UInt64 = 0
    ) async throws -> Realm {
        try await Realm.open(
            configuration(path, engine, [type], timeout: nil, version: version))
    }

    /// Makes a parcel on a host with the plain models.
    private static func add(_ id: Int, to realm: Realm) async throws {
        try await realm.write { tx in
            _ = try tx.create(Plain.Parcel.self, value: ["id": id, "code": id * 10])
        }
    }

    private static func close(_ realms: [Realm], at paths: [String]) async throws {
        for realm in realms {
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
        for path in paths { try Realm.deleteFiles(at: path) }
    }

    /// The host that knows the indexes could not apply that they went, and stopped for good.
    @Test func indexesThatTheModelsOfOneHostLackStay() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let newer = try await Self.open(path + "-1", engine, Indexed.Parcel.self)
            let older = try await Self.open(path + "-2", engine, Plain.Parcel.self)
            try await Self.add(1, to: older)
            #expect(try await newer.refreshed(.toNewest).objects(Indexed.Parcel.self).count == 1)
            try await newer.write { tx in
                _ = try tx.create(Indexed.Parcel.self, value: ["id": 2, "code": 20])
            }
            let codes = try await older.refreshed(.toNewest).objects(Plain.Parcel.self)
                .values(of: \.code)
            #expect(codes == [10, 20])
            try await Self.close([newer, older], at: [path + "-1", path + "-2"])
        }
    }

    @Test func aTypeWithMoreNumbersIsRefused() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let realm = try await Self.open(path + "-1", engine, Plain.Parcel.self)
            await #expect {
                _ = try await Self.open(path + "-2", engine, Wide.Parcel.self)
            } throws: { error in
                "\(error)".contains("'Parcel.size' was Int8 and is Int16")
            }
            try await Self.add(1, to: realm)
            #expect(try await realm.refreshed(.toNewest).objects(Plain.Parcel.self).count == 1)
            try await Self.close([realm], at: [path + "-1", path + "-2"])
        }
    }

    /// A host with the larger type continued, and its integers were truncated when read.
    @Test func aTypeWithFewerNumbersEndsHostsWithTheLargerOne() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.open(path + "-1", engine, Plain.Parcel.self)
            try await Self.add(1, to: older)
            let newer = try await Self.open(path + "-2", engine, Narrow.Parcel.self, version: 1)
            #expect(newer.objects(Narrow.Parcel.self).values(of: \.code) == [10])
            await #expect {
                try await Self.add(30, to: older)
            } throws: { error in
                if case RealmError.schemaMismatch = error { true } else { false }
            }
            #expect(try await newer.refreshed(.toNewest).objects(Narrow.Parcel.self).count == 1)
            try await older.close()
            try await Self.close([newer], at: [path + "-1", path + "-2"])
        }
    }

    /// It was refused as a migration.
    @Test func aPropertyThatIsAddedIsThereForAllHosts() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.open(path + "-1", engine, Plain.Parcel.self)
            for id in 0..<3 { try await Self.add(id, to: older) }
            let newer = try await Self.open(path + "-2", engine, Noted.Parcel.self)
            let defaults = newer.objects(Noted.Parcel.self).values(of: \.note)
            #expect(defaults == ["none", "none", "none"])
            // A host with the older models continues without the added classes.
            _ = try await older.refreshed(.toNewest)
            try await Self.add(3, to: older)
            _ = try await newer.refreshed(.toNewest)
            try await newer.write { tx in
                _ = try tx.create(Noted.Parcel.self, value: ["id": 4])
            }
            let third = try await Self.open(path + "-3", engine, Ranked.Parcel.self)
            let ranks = third.objects(Ranked.Parcel.self).values(of: \.rank)
            #expect(ranks == [Int?](repeating: nil, count: 5))
            let notes = try await newer.refreshed(.toNewest).objects(Noted.Parcel.self)
                .values(of: \.note)
            #expect(notes == ["none", "none", "none", "", "none"])
            // Also when it is opened again.
            try await older.close()
            let again = try await Self.open(path + "-1", engine, Plain.Parcel.self)
            try await Self.add(5, to: again)
            for realm in [again, newer, third] {
                #expect(try await realm.refreshed(.toNewest).version == again.latestVersion)
            }
            let all = newer.objects(Noted.Parcel.self).values(of: \.note)
            #expect(all == ["none", "none", "none", "", "none", ""])
            try await Self.close([again, newer, third], at: (1...3).map { path + "-\($0)" })
        }
    }

    /// The process ended: the name of the added class was looked up among those that the older host
    /// had when it was opened.
    @Test func aStreamThatWatchesAnAddedClassIsReportedWhenItLags() async throws {
        let engine = MemorySharedLog.Engine()
        let monitor = RecordingMonitor()
        try await withStorePath { path in
            var monitored = configuration(path + "-1", engine, [Plain.Parcel.self], timeout: nil)
            monitored.monitor = monitor
            monitored.monitorLimits.interval = .milliseconds(10)
            monitored.monitorLimits.streamLag = .milliseconds(10)
            let older = try await Realm.open(monitored)
            try await Self.add(1, to: older)
            let types: [ObjectBase.Type] = [Carried.Parcel.self, Carried.Courier.self]
            let newer = try await Realm.open(
                configuration(path + "-2", engine, types, timeout: nil))
            _ = try await older.refreshed(.toNewest)
            let stream = older.objects(Plain.Parcel.self).changes().makeAsyncIterator()
            #expect(await monitor.receives { !$0.lags.isEmpty })
            #expect(monitor.received.lags.first?.classNames == ["Courier", "Parcel"])
            withExtendedLifetime(stream) {}
            try await Self.close([newer, older], at: [path + "-1", path + "-2"])
        }
    }

    /// The process ended, for the same reason.
    @Test func aConflictNamesAnAddedClassAndItsProperties() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.open(path + "-1", engine, Plain.Parcel.self)
            try await Self.add(1, to: older)
            let types: [ObjectBase.Type] = [Carried.Parcel.self, Carried.Courier.self]
            let newer = try await Realm.open(
                configuration(path + "-2", engine, types, timeout: nil))
            let snapshot = try await older.refreshed(.toNewest)
            try await newer.write { tx in
                let courier = try tx.create(Carried.Courier.self, value: ["name": "Ida"])
                tx.object(Carried.Parcel.self, forPrimaryKey: 1)?.courier = courier
            }
            _ = try await older.refreshed(.toNewest)
            let error = await #expect(throws: RealmError.self) {
                try await older.write(ifUnchangedSince: snapshot) { _ in }
            }
            guard case .writeConflict(let conflict)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(conflict.classes.map(\.className) == ["Courier", "Parcel"])
            #expect(conflict.classes.map(\.insertions) == [1, 0])
            #expect(conflict.classes.last?.properties == ["courier"])
            try await Self.close([newer, older], at: [path + "-1", path + "-2"])
        }
    }

    /// The commit that fills the property in had no time: it counted as one of any time, with all
    /// that was written before it.
    @Test func theTimeAtWhichAPropertyIsAddedIsKnown() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            func open(_ type: ObjectBase.Type) async throws -> Realm {
                var kept = configuration(path, engine, [type], timeout: nil)
                kept.history = .keep(bytes: 64 << 20)
                return try await Realm.open(kept)
            }
            let older = try await open(Plain.Parcel.self)
            try await Self.add(1, to: older)
            let between = Date()
            while Date() <= between {}
            try await Self.add(2, to: older)
            try await older.close()
            let newer = try await open(Noted.Parcel.self)
            try await newer.write { tx in
                _ = try tx.create(Noted.Parcel.self, value: ["id": 3])
            }
            // What a property is filled in over cannot be taken back.
            await #expect {
                _ = try await newer.snapshot(asOf: between)
            } throws: { error in
                if case RealmError.versionUnavailable = error { true } else { false }
            }
            let now = try await newer.snapshot(asOf: Date())
            #expect(now.objects(Noted.Parcel.self).values(of: \.id) == [1, 2, 3])
            let parcel = try #require(newer.objects(Noted.Parcel.self).first)
            let versions = try await newer.versions(of: parcel)
            #expect(versions.last?.change == .modified(propertyNames: ["note"]))
            #expect(versions.allSatisfy { $0.time > between })
            try await Self.close([newer], at: [path])
        }
    }

    /// The opening was repeated without end.
    @Test func anAdditionThatOthersSupersedeEndsAfterTheTimeout() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Realm.open(configuration(path, engine, [Plain.Parcel.self]))
            try await Self.add(1, to: older)
            try await older.close()
            var late = configuration(path, engine, [Noted.Parcel.self], timeout: .zero)
            late.sharedLog = Realm.SharedLog { LosingLog(MemorySharedLog(engine), losses: 100) }
            await #expect(throws: RealmError.superseded) { _ = try await Realm.open(late) }
            late.writeTimeout = nil
            let newer = try await Realm.open(late)
            #expect(newer.objects(Noted.Parcel.self).first?.note == "none")
            try await Self.close([newer], at: [path])
        }
    }
}

/// A log whose first appends lose, as if other hosts had been first.
private final class LosingLog: WrappedLog {
    let base: any SharedLog
    private let losses: Mutex<Int>

    init(_ base: any SharedLog, losses: Int) {
        self.base = base
        self.losses = Mutex(losses)
    }

    func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        let loses = losses.withLock { losses in
            losses -= 1
            return losses >= 0
        }
        if loses { return false }
        return try base.append(entry, at: slot, behind: last)
    }
}
