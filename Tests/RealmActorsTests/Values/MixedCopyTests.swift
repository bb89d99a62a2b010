import RealmActors
import Testing

private final class Sheet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

/// What becomes of lists and dictionaries within values when their object is copied or deleted.
@Suite struct MixedCopyTests {
    /// It kept itself, and with it the realm, which was not closed when its last handle went.
    @Test("D21: an object that is deleted is released, whatever was in its values")
    func whatIsDeletedIsReleased() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                weak var lost: Sheet?
                do {
                    let sheet = try tx.create(Sheet.self)
                    sheet.any = [1, ["a": 2]]
                    lost = sheet
                    try tx.delete(sheet)
                    #expect(sheet.isInvalidated)
                }
                #expect(lost == nil)
            }
        }
    }

    /// They had nothing in them.
    @Test("D21: an object that is deleted keeps the lists and dictionaries in its values")
    func whatIsDeletedKeepsItsValues() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                let sheet = try tx.create(Sheet.self, value: ["any": ["k": [1, 2]]])
                let read = try #require(sheet.any.dictionaryValue)
                try tx.delete(sheet)
                #expect(sheet.any == ["k": [1, 2]])
                #expect(read.isInvalidated && read.isEmpty)
            }
        }
    }

    /// They were those of the other object: they changed it, and became empty when it was deleted.
    @Test("V2, P11: an unmanaged object that is made of another has collections of its own")
    func unmanagedCopies() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                let sheet = try tx.create(Sheet.self, value: ["id": 1])
                sheet.any = ["k": [1]]
                sheet.list.append([2, [3]])
                sheet.map["m"] = ["n": 4]
                let (copy, other) = (try Sheet(value: sheet), Sheet())
                other.any = sheet.any
                copy.any.dictionaryValue?["k"]?.listValue?.append(9)
                copy.list[0].listValue?.append(9)
                copy.map["m"]?.dictionaryValue?["n"] = 9
                other.any.dictionaryValue?["k"]?.listValue?.removeAll()
                #expect(sheet.any == ["k": [1]] && other.any == ["k": []])
                #expect(sheet.list[0] == [2, [3]] && sheet.map["m"] == ["n": 4])
                try tx.delete(sheet)
                try tx.add(copy)
                #expect(copy.any == ["k": [1, 9]])
                #expect(copy.list[0] == [2, [3], 9] && copy.map["m"] == ["n": 9])
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// They were those of the other object.
    @Test("V2, P11: collections that are given to an unmanaged object are copied, however")
    func unmanagedCopiesOfParts() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                let sheet = try tx.create(Sheet.self, value: ["id": 1])
                sheet.any = [1]
                sheet.list.append([2])
                sheet.map["m"] = [3]
                let given: [String: Any] = [
                    "any": [sheet.any], "list": [sheet.any], "map": ["m": sheet.any],
                ]
                let (copy, other) = (try Sheet(value: given), Sheet())
                copy.any.listValue?[0].listValue?.append(9)
                copy.list[0].listValue?.append(9)
                copy.map["m"]?.listValue?.append(9)
                #expect(copy.any == [[1, 9]] && copy.list[0] == [1, 9])
                #expect(copy.map["m"] == [1, 9])
                other.list = sheet.list
                other.map = sheet.map
                other.list[0].listValue?.append(9)
                other.map["m"]?.listValue?.append(9)
                #expect(other.list[0] == [2, 9] && other.map["m"] == [3, 9])
                other.any = .list(sheet.list)
                other.any.listValue?.append(9)
                #expect(other.any == [[2], 9])
                #expect(sheet.any == [1] && sheet.map["m"] == [3])
                #expect(sheet.list.count == 1 && sheet.list[0] == [2])
            }
        }
    }

    @Test("V2, P11: a collection within a value that becomes a property is copied with its own")
    func unmanagedCopiesOfInnerCollections() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                let (sheet, draft) = (try tx.create(Sheet.self), Sheet())
                sheet.any = [[1], ["k": [2]]]
                draft.list = try #require(sheet.any.listValue)
                draft.map = try #require(sheet.any.listValue?[1].dictionaryValue)
                draft.list[0].listValue?.append(9)
                draft.map["k"]?.listValue?.append(9)
                #expect(draft.list[0] == [1, 9] && draft.list[1] == ["k": [2]])
                #expect(draft.map["k"] == [2, 9])
                #expect(sheet.any == [[1], ["k": [2]]])
            }
        }
    }

    /// The process ended.
    @Test("V2, P11: an unmanaged object that is made of a frozen one can be changed")
    func copiesOfFrozenObjects() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            let frozen = try await realm.write { tx in
                let sheet = try tx.create(Sheet.self, value: ["id": 1])
                sheet.any = ["k": [1]]
                sheet.list.append([2, [3]])
                sheet.map["m"] = ["n": 4]
                return sheet.freeze()
            }
            try await realm.write { tx in
                let draft = try Sheet(value: frozen)
                draft.any.dictionaryValue?["k"]?.listValue?.append(9)
                draft.list[0].listValue?[1].listValue?.append(9)
                draft.map["m"]?.dictionaryValue?["n"] = 9
                try tx.add(draft, update: .modified)
            }
            #expect(frozen.any == .dictionary(["k": .list([1])]))
            let sheet = try #require(realm.object(Sheet.self, forPrimaryKey: 1))
            #expect(sheet.any == .dictionary(["k": .list([1, 9])]))
            #expect(sheet.list[0] == .list([2, .list([3, 9])]))
            #expect(sheet.map["m"] == .dictionary(["n": 9]))
        }
    }
}
