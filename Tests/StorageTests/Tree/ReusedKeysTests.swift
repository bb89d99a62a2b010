import Testing

@testable import Storage

/// Which keys may have belonged to different rows at two captures.
@Suite struct ReusedKeysTests {
    private let id = ClassID(3)

    @Test func aKeyIsReusedOnlyIfTheCapturesAreOnBothSidesOfANote() {
        let keys = ReusedKeys()
        #expect(keys.isEmpty)
        keys.note(id, from: 10, at: 5) { _ in true }
        keys.note(id, from: 20, at: 9) { _ in true }
        #expect(!keys.isEmpty)
        #expect(keys.contains(id, RowKey(10), between: 4, and: 5))
        #expect(keys.contains(id, RowKey(10), between: 7, and: 2))
        #expect(!keys.contains(id, RowKey(9), between: 4, and: 5))
        #expect(!keys.contains(id, RowKey(15), between: 5, and: 9))
        #expect(keys.contains(id, RowKey(20), between: 5, and: 9))
        #expect(!keys.contains(id, RowKey(20), between: 9, and: 100))
        #expect(!keys.contains(id, RowKey(20), between: 1, and: 4))
        #expect(!keys.contains(ClassID(2), RowKey(20), between: 0, and: 100))
    }

    @Test func aNoteReplacesThoseOfHigherKeys() {
        let keys = ReusedKeys()
        keys.note(id, from: 20, at: 5) { _ in true }
        keys.note(id, from: 10, at: 9) { _ in true }
        #expect(keys.contains(id, RowKey(20), between: 4, and: 9))
        #expect(keys.contains(id, RowKey(10), between: 6, and: 9))
    }

    @Test func onlyNotesOfKeysWithRowsAreKept() {
        let keys = ReusedKeys()
        var asked = 0
        for number in 0..<100_000 {
            keys.note(id, from: Int64(number), at: UInt64(number + 1)) { range in
                asked += 1
                return range.contains(7)
            }
        }
        #expect(keys.contains(id, RowKey(7), between: 7, and: 8))
        #expect(!keys.contains(id, RowKey(7), between: 8, and: 100_000))
        #expect(asked < 200_000)
    }
}
