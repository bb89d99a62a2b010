import Foundation
import RealmActors
import Testing

/// Lists and dictionaries within values that are written where they, or what they stood in, have
/// been before.
@Suite struct MovedValueTests {
    /// Those within the values were empty: they were read after their removal.
    @Test("P6, P10, P11: a list or map that is given values of its own keeps all that is in them")
    func ownValues() async throws {
        try await freshRealm(hostTypes).write { tx in
            let host = try tx.create(Host.self, value: ["key": 1])
            host.notes = [[1], 2, ["k": [3]]]
            host.notes = List(host.notes.reversed())
            let turned: [AnyRealmValue] = [["k": [3]], 2, [1]]
            #expect(Array(host.notes) == turned)
            host.noteMap = ["a": [1, [2]], "b": ["k": 3], "c": 4]
            host.noteMap.assign(host.noteMap.filter { $0.key != "c" })
            let two: Map<String, AnyRealmValue> = ["a": [1, [2]], "b": ["k": 3]]
            #expect(host.noteMap == two)
            host.noteMap = Map(host.noteMap.filter { $0.key == "a" })
            let one: Map<String, AnyRealmValue> = ["a": [1, [2]]]
            #expect(host.noteMap == one)
            let given = Host()
            given.key = 1
            given.notes.append(objectsIn: host.notes)
            given.noteMap["a"] = host.noteMap["a"]
            try tx.add(given, update: .all)
            #expect(Array(host.notes) == turned && host.noteMap == one)
            let values: [String: Any] = [
                "key": 1, "notes": Array(host.notes), "noteMap": host.noteMap,
            ]
            try tx.create(Host.self, value: values, update: .all)
            #expect(Array(host.notes) == turned && host.noteMap == one)
        }
    }

    /// It was empty after its removal, and was stored empty.
    @Test("Q17, P10, P11: a list or dictionary that is removed is what it was")
    func removed() async throws {
        try await freshRealm(hostTypes).write { tx in
            let host = try tx.create(Host.self, value: ["key": 1])
            let list: AnyRealmValue = [1, ["k": [2]]]
            host.notes = [[1, ["k": [2]]], 3]
            host.notes.append(host.notes.remove(at: 0))
            #expect(host.notes[0] == 3 && host.notes[1] == list)
            host.noteMap["a"] = host.notes.popLast()
            #expect(host.notes.count == 1 && host.noteMap["a"] == list)
            #expect(host.noteMap.updateValue(["k": 4], forKey: "a") == list)
            let dictionary = try #require(host.noteMap.removeValue(forKey: "a"))
            #expect(dictionary == ["k": 4] && host.noteMap.isEmpty)
            host.note = ["in": [[7], 8], "more": ["k": [9]]]
            let map = try #require(host.note.dictionaryValue)
            let inner = try #require(map["in"]?.listValue)
            inner.append(inner.removeFirst())
            map["other"] = map.removeValue(forKey: "more")
            #expect(host.note == ["in": [8, [7]], "other": ["k": [9]]])
        }
    }

    /// It had left its place before it was read to be written, and failed the write.
    @Test("Q17, D15, P11: a list or dictionary that moves within a value keeps all that is in it")
    func movedWithin() async throws {
        try await freshRealm(hostTypes).write { tx in
            let host = try tx.create(Host.self, value: ["key": 1])
            host.note = [[1, [2]], ["k": 3], [], 4]
            let list = try #require(host.note.listValue)
            let first = try #require(list[0].listValue)
            list.move(from: 0, to: 3)
            #expect(host.note == [["k": 3], [], 4, [1, [2]]])
            list.move(fromOffsets: [0, 1], toOffset: 4)
            #expect(host.note == [4, [1, [2]], ["k": 3], []])
            // It is the list that was read.
            first.append(5)
            #expect(list[1] == [1, [2], 5])
            list.remove(atOffsets: [0, 1])
            #expect(host.note == [["k": 3], []])
            host.note = ["a": [1], "b": 2, "c": ["k": 3]]
            host.note.dictionaryValue?.removeAll { $0.value == 2 }
            #expect(host.note == ["a": [1], "c": ["k": 3]])
            let copy: List<AnyRealmValue> = [[1], 2, 3]
            copy.move(from: 0, to: 2)
            copy.move(fromOffsets: [0], toOffset: 2)
            let turned: [AnyRealmValue] = [3, 2, [1]]
            #expect(Array(copy) == turned)
        }
    }

    /// A list that had been read before changed the copy from then on.
    @Test("P11: of a list and a copy in front of it, what was read stays the list")
    func copiesInFront() async throws {
        try await freshRealm(hostTypes).write { tx in
            let host = try tx.create(Host.self, value: ["key": 1])
            host.note = [[1], ["k": 2]]
            let list = try #require(host.note.listValue)
            let first = try #require(list[0].listValue)
            list.insert(list[0], at: 0)
            first.append(3)
            #expect(host.note == [[1], [1, 3], ["k": 2]])
            list[0] = list[1]
            first.append(4)
            #expect(host.note == [[1, 3], [1, 3, 4], ["k": 2]])
            // Assigning it to its own place does not change it.
            list[1] = .list(first)
            list.append(.list(first))
            first.removeAll()
            #expect(host.note == [[1, 3], [], ["k": 2], [1, 3, 4]])
            host.note = ["b": [1]]
            let map = try #require(host.note.dictionaryValue)
            let inner = try #require(map["b"]?.listValue)
            map["a"] = map["b"]
            inner.append(2)
            #expect(host.note == ["a": [1], "b": [1, 2]])
        }
    }

    /// An empty one was stored.
    @Test("P11: a removed list or dictionary cannot be stored, and fails the write")
    func removedCollections() async throws {
        let realm = try await freshRealm(hostTypes)
        try await realm.write { tx in _ = try tx.makeHost(1) }
        for isList in [false, true] {
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let host = try #require(tx.object(Host.self, forPrimaryKey: 1))
                    let note = isList ? host.notes[1] : host.note
                    host.note = 1
                    host.notes.removeAll()
                    host.notes.append(note)
                }
            }
        }
        try await realm.write { tx in
            let host = try #require(tx.object(Host.self, forPrimaryKey: 1))
            #expect(host.notes.count == 3 && host.note.dictionaryValue?.count == 2)
            // What is there may be empty.
            host.note = [[], [:]]
            host.notes.append(host.note)
            #expect(host.notes[3] == [[], [:]])
        }
    }
}
