import Foundation
import RealmActors
import Testing

final class Elder: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted(indexed: .fullText) var nickname: String?
    @Persisted var isAlive = true
    @Persisted var weight: Double
    @Persisted var height: Float?
    @Persisted var born: Date?
    @Persisted var picture: Data?
    @Persisted var tag: UUID
    @Persisted var price: Decimal128
    @Persisted var made: ObjectId
    @Persisted var any: AnyRealmValue
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var scores: Map<String, Double>
    @Persisted var heir: Elder?
    @Persisted var friends: List<Elder>
    @Persisted var home: ElderHome?

    static var indexes: [Index<Elder>] {
        [Index(\.isAlive, \.weight), Index(\.name, collation: .people)]
    }
}

final class ElderHome: EmbeddedObject {
    @Persisted var street: String
    @Persisted var number: Int
}

/// A store that the library wrote before it had full-text indexes, indexes of several properties
/// and shared logs: objects with properties of every kind, the last commit in the log alone.
@Suite struct FormerStoreTests {
    private func withStore(_ body: (String) async throws -> Void) async throws {
        let files = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "FormerStore/elders")
        try await withStorePath { path in
            try FileManager.default.copyItem(atPath: files.path, toPath: path)
            try await body(path)
        }
    }

    private func check(_ elders: FrozenResults<Elder>) {
        #expect(elders.map { $0.id } == Array(0...55))
        for elder in elders {
            let id = elder.id
            let name = ["Anna", "Bert", "\u{DC}nal", "Dora", "Emil"][id % 5] + " \(id)"
            let numbers = Array(0..<(id % 5)) + (id == 6 ? [77] : [])
            #expect(elder.name == (id == 5 ? "Renamed" : name))
            #expect(elder.nickname == (id % 3 == 0 ? nil : "n\(id % 7)"))
            #expect(elder.isAlive == (id % 4 != 0) && elder.weight == Double(id) / 4)
            #expect(elder.height == (id % 5 == 0 ? nil : Float(id)))
            #expect(
                elder.born?.timeIntervalSinceReferenceDate
                    == (id % 6 == 0 ? nil : Double(id) * 86_400))
            #expect(elder.picture == (id % 2 == 0 ? nil : Data(0..<UInt8(id))))
            #expect(elder.tag.uuidString.suffix(2) == String(format: "%02d", id))
            #expect(elder.price == Decimal128(id * 3))
            #expect(elder.made.stringValue.suffix(2) == String(format: "%02d", id))
            let any: AnyRealmValue = [.int(id), .string("any \(id)"), .none][id % 3]
            #expect(elder.any == FrozenValue(any))
            #expect(Array(elder.numbers) == numbers)
            #expect(Set(elder.words) == ["w\(id % 3)", "all"])
            #expect(elder.scores["k\(id % 2)"] == Double(id) && elder.scores.count == 1)
            #expect(elder.home?.number == (id % 7 == 0 ? nil : id))
            let heir = (id + 7) % 60
            #expect(elder.heir?.id == (id % 5 == 1 && heir <= 55 ? heir : nil))
            #expect(elder.friends.map { $0.id } == (id % 5 == 1 ? [id + 1, id + 2] : []))
        }
    }

    @Test func aFormerStoreIsReadAsItIs() async throws {
        try await withStore { path in
            let before = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
            let realm = try await Realm.open(
                .init(path: path, readOnly: true, usesStoredSchema: true))
            let elders = try realm.dynamicObjects("Elder")
            #expect(elders.count == 56)
            #expect(try elders.filter("name BEGINSWITH 'Anna' AND home.number > 10").count == 8)
            #expect(try await Realm.storedSchema(at: path).version == 3)
            try await realm.close()
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == before)
        }
    }

    @Test func aFormerStoreGetsTheIndexesOfToday() async throws {
        try await withStore { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Elder.self, ElderHome.self], writeTimeout: nil,
                schemaVersion: 4)
            var realm = try await Realm.open(configuration)
            check(realm.objects(Elder.self))
            #expect(realm.objects(Elder.self).where { $0.nickname.fullText("n3") }.count == 5)
            try await realm.write(author: "today") { tx in
                tx.object(Elder.self, forPrimaryKey: 0)?.name = "Oldest"
            }
            #expect(try await realm.verify().problems.isEmpty)
            try await realm.close()

            realm = try await Realm.open(configuration)
            let people = realm.objects(Elder.self).sorted(by: \.name, collation: .people)
            #expect(people.first?.name == "Anna 10" && people.last?.name == "\u{DC}nal 7")
            try await realm.write { tx in
                tx.object(Elder.self, forPrimaryKey: 0)?.name = "Anna 0"
            }
            check(realm.objects(Elder.self))
            try await realm.close()
        }
    }
}
