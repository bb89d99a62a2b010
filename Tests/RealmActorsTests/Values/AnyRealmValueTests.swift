import Foundation
import RealmActors
import Testing

private final class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted(indexed: true) var tag: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var next: Note?
}

/// `AnyRealmValue`, with what it holds.
@Suite struct AnyRealmValueTests {
    private static let uuid = UUID()
    private static let id = ObjectId.generate()
    private static var values: [AnyRealmValue] {
        [
            .none, 1, true, .float(1.5), 2.5, "text", .data(Data([1])), .date(.distantPast),
            .uuid(uuid), .objectId(id), .decimal128("1.25"), [1, "two", [nil, 3.5]],
            ["a": 1, "b": ["c": [true]]], [], [:],
        ]
    }

    @Test("P11: every kind of value is kept in every place", arguments: 0..<15)
    func everyKindIsKeptInEveryPlace(index: Int) async throws {
        let value = Self.values[index]
        try await withFreshRealm([Note.self]) { realm in
            let note = try await realm.write { tx in
                let value = Self.values[index]
                let note = Note()
                note.any = value
                note.list.append(value)
                note.map["k"] = value
                try tx.add(note)
                #expect(note.any == value && note.list[0] == value && note.map["k"] == value)
                note.list.append(value)
                note.any = value
                return note.freeze()
            }
            let frozen = FrozenValue(value)
            #expect(note.any == frozen && note.list[1] == frozen && note.map["k"] == frozen)
            #expect(try note["any"] == frozen)
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    @Test("P11: collections in a managed value are live")
    func collectionsInAManagedValueAreLive() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in
                let note = try tx.create(
                    Note.self, value: ["any": ["list": [1, [2, 3]], "n": 1] as [String: Any]])
                let map = try #require(note.any.dictionaryValue)
                let outer = try #require(map["list"]?.listValue)
                let inner = try #require(outer[1].listValue)
                outer.insert("before", at: 0)
                // The inner list has moved, and is still the same.
                inner.append(4)
                #expect(note.any == ["list": ["before", 1, [2, 3, 4]], "n": 1])
                map["n"] = nil
                map["m"] = ["deep": []]
                map["m"]?.dictionaryValue?["deep"]?.listValue?.append(note.any)
                #expect(inner.count == 3 && outer.count == 3)
                #expect(Set(try #require(note.any.dictionaryValue).keys) == ["list", "m"])
                outer.remove(at: 2)
                #expect(inner.isEmpty)
                // Assigning the value to itself keeps what was read from it.
                note.any = note.any
                outer.append(true)
                #expect(note.any.dictionaryValue?["list"] == ["before", 1, true])
            }
        }
    }

    @Test func collectionsInListsAndMapsAreLive() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in
                let note = try tx.create(Note.self)
                note.list.append([1])
                note.list.append([2])
                note.map["a"] = ["x": 1]
                let second = try #require(note.list[1].listValue)
                let inner = try #require(note.map["a"]?.dictionaryValue)
                note.list.remove(at: 0)
                note.map["0"] = "before"
                second.append("two")
                inner["y"] = 2
                #expect(note.list[0] == [2, "two"] && note.map["a"] == ["x": 1, "y": 2])
            }
            let note = try #require(realm.objects(Note.self).first)
            #expect(note.list[0] == .list([.int(2), "two"]))
        }
    }

    @Test func aListThatIsGoneFailsTheWrite() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in _ = try tx.create(Note.self, value: ["any": [1]]) }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let note = try #require(tx.objects(Note.self).first)
                    let list = try #require(note.any.listValue)
                    note.any = 3
                    list.append(2)
                }
            }
            #expect(realm.objects(Note.self).first?.any == .list([.int(1)]))
        }
    }

    @Test func objectsWithinCollectionsAreAddedAndRead() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in
                let note = Note()
                note.id = 1
                let other = Note()
                other.id = 2
                other.any = [.object(note)]
                note.any = ["other": .object(other)]
                try tx.add(note)
            }
            let note = try #require(realm.object(Note.self, forPrimaryKey: 1))
            guard case .dictionary(let values) = note.any,
                case .object(let other)? = values["other"]
            else {
                Issue.record("\(note.any)")
                return
            }
            #expect(try other["id"] == 2)
            // A deleted object reads as no value.
            try await realm.write { tx in
                if let other = tx.object(Note.self, forPrimaryKey: 2) { try tx.delete(other) }
            }
            #expect(realm.object(Note.self, forPrimaryKey: 1)?.any == .dictionary(["other": .none]))
        }
    }

    /// It became another one, which invalidated values read before.
    @Test("P11: a collection that is set where it stands stays what it is")
    func aCollectionThatIsSetWhereItStands() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in
                let note = try tx.create(Note.self)
                note.list.append(objectsIn: [[1], [2]])
                note.map["k"] = ["a": [3]]
                let first = try #require(note.list[0].listValue)
                let entry = try #require(note.map["k"]?.dictionaryValue)
                note.list[0] = note.list[0]
                note.map["k"] = note.map["k"]
                first.append(4)
                entry["b"] = 5
                let (grown, copied): ([AnyRealmValue], [AnyRealmValue]) = (
                    [[1, 4], [2]], [[1, 4, 6], [1, 4]]
                )
                #expect(Array(note.list) == grown)
                #expect(note.map["k"] == AnyRealmValue.fromDictionary(["a": [3], "b": 5]))
                // Elsewhere, it is a copy.
                note.list[1] = note.list[0]
                note.map["l"] = note.map["k"]
                first.append(6)
                entry["b"] = 7
                #expect(Array(note.list) == copied)
                #expect(note.map["l"] == AnyRealmValue.fromDictionary(["a": [3], "b": 5]))
            }
        }
    }

    @Test func nestingIsLimited() async throws {
        try await withFreshRealm([Note.self]) { realm in
            func nested(_ depth: Int) -> AnyRealmValue {
                (1..<depth).reduce([]) { value, _ in [value] }
            }
            try await realm.write { tx in try tx.create(Note.self).any = nested(100) }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    try tx.create(Note.self, value: ["id": 1]).any = nested(101)
                }
            }
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    /// Ran out of stack.
    @Test("P11: an unmanaged list or dictionary that contains itself is refused")
    func aCollectionThatContainsItself() async throws {
        try await withFreshRealm([Note.self]) { realm in
            try await realm.write { tx in
                let list: List<AnyRealmValue> = [1]
                list.append(.list(list))
                let map: Map<String, AnyRealmValue> = ["a": 1]
                map["self"] = .dictionary(map)
                for value in [AnyRealmValue.list(list), .dictionary(map)] {
                    let note = Note()
                    note.any = value
                    #expect(throws: RealmError.self) { try tx.add(note) }
                    #expect(throws: RealmError.self) {
                        try tx.create(Note.self, value: ["any": value])
                    }
                }
                list.removeAll()
                map.removeAll()
            }
            #expect(realm.objects(Note.self).isEmpty)
        }
    }

    @Test func keysAreThoseOfMaps() async throws {
        try await withFreshRealm([Note.self]) { realm in
            for key in ["a.b", "$a"] {
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        try tx.create(Note.self).any = .fromDictionary([key: 1])
                    }
                }
            }
        }
    }

    @Test("P11, D24: numbers compare across kinds in queries")
    func numbersCompareAcrossKindsInQueries() async throws {
        try await withFreshRealm([Note.self]) { realm in
            let values: [AnyRealmValue] = [
                2, 2.0, .float(2), .decimal128("2.0"), 3, "2", true, .none, .decimal128("2.5"),
            ]
            try await realm.write { tx in
                for (id, value) in values.enumerated() {
                    try tx.create(Note.self, value: ["id": id, "any": value, "tag": value])
                }
            }
            let all = realm.objects(Note.self)
            #expect(Set(all.where { $0.any == 2 }.map(\.id)) == [0, 1, 2, 3])
            #expect(Set(all.where { $0.tag == 2 }.map(\.id)) == [0, 1, 2, 3])
            #expect(Set(all.where { $0.any == true }.map(\.id)) == [6])
            #expect(Set(all.where { $0.any == nil }.map(\.id)) == [7])
            let sorted = all.sorted(by: \.any).map(\.id)
            #expect(sorted.prefix(2) == [7, 6] && sorted.suffix(3) == [8, 4, 5])
            #expect(try await realm.verify().problems.isEmpty)
        }
    }
}
