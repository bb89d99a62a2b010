import Foundation
import RealmActors
import Testing

private enum Word: String, PersistableEnum { case red = "Red", reed = "R\u{E9}d", blue = "Blue" }
private enum Level: Int, PersistableEnum { case low = 1, middle = 3, high = 5 }

private struct Label: CustomPersistable {
    var text: String
    init(_ text: String) { self.text = text }
    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

private struct Blob: CustomPersistable {
    var bytes: Data
    init(_ bytes: [UInt8]) { self.bytes = Data(bytes) }
    init(persistedValue: Data) { bytes = persistedValue }
    var persistableValue: Data { bytes }
}

private struct Score: CustomPersistable {
    var points: Int
    init(_ points: Int) { self.points = points }
    init(persistedValue: Int) { points = persistedValue }
    var persistableValue: Int { points }
}

private final class Card: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var word: Word
    @Persisted var maybeWord: Word?
    @Persisted var words: Map<String, Word>
    @Persisted var maybeWords: Map<String, Word?>
    @Persisted var label: Label
    @Persisted var maybeLabel: Label?
    @Persisted var blob: Blob
    @Persisted var maybeBlob: Blob?
    @Persisted var level: Level
    @Persisted var floor: Level
    @Persisted var best: Level?
    @Persisted var levels: List<Level>
    @Persisted var maybeLevels: List<Level?>
    @Persisted var levelsByName: Map<String, Level>
    @Persisted var score: Score
    @Persisted var maybeScore: Score?
    @Persisted var scores: List<Score>
    @Persisted var maybeScores: List<Score?>
    @Persisted var cards: List<Card>
}

/// What Realm's queries do with enums and types of one's own as with what is stored for them:
/// operators of texts and bytes, order, the least, the greatest and the sum.
@Suite struct StoredValueQueryTests {
    /// The second card has nothing that it need not have.
    private func withCards(_ body: (FrozenResults<Card>) throws -> Void) async throws {
        try await withFreshRealm([Card.self]) { realm in
            try await realm.write { tx in
                let full = Card()
                full.word = .red
                full.maybeWord = .blue
                full.words["a"] = .red
                full.words["b"] = .blue
                full.maybeWords["a"] = Word.reed
                full.label = Label("Foo")
                full.maybeLabel = Label("foo")
                full.blob = Blob([1, 2, 3])
                full.maybeBlob = Blob([2, 3])
                full.level = .middle
                full.floor = .low
                full.best = .high
                full.levels.append(objectsIn: [Level.low, .high])
                full.maybeLevels.append(objectsIn: [Level.middle, nil])
                full.levelsByName["a"] = .low
                full.score = Score(3)
                full.maybeScore = Score(5)
                full.scores.append(objectsIn: [Score(1), Score(3)])
                full.maybeScores.append(objectsIn: [Score(2), nil])
                let bare = Card()
                bare.id = 1
                bare.word = .blue
                bare.label = Label("Bar")
                bare.blob = Blob([9])
                bare.level = .high
                bare.floor = .high
                bare.score = Score(7)
                try tx.add(full)
                try tx.add(bare)
                full.cards.append(objectsIn: [full, bare])
            }
            try body(realm.objects(Card.self))
        }
    }

    private func ids(
        _ cards: FrozenResults<Card>, _ isIncluded: (Query<Card>) -> Query<Bool>
    ) -> [Int] { cards.where(isIncluded).map(\.id) }

    @Test("Q5: operators of texts take an enum that is stored as a text")
    func textsOfEnums() async throws {
        try await withCards { cards in
            #expect(ids(cards) { $0.word.contains(.red) } == [0])
            #expect(ids(cards) { $0.word.starts(with: .reed) } == [])
            #expect(
                ids(cards) { $0.word.starts(with: .reed, options: .diacriticInsensitive) } == [0])
            #expect(ids(cards) { $0.word.ends(with: .blue, options: .caseInsensitive) } == [1])
            #expect(ids(cards) { $0.word.like(.blue, caseInsensitive: true) } == [1])
            #expect(ids(cards) { $0.word.equals(.reed, options: [.diacriticInsensitive]) } == [0])
            #expect(ids(cards) { $0.word.notEquals(.blue) } == [0])
            #expect(ids(cards) { !$0.word.contains(.red) } == [1])
            #expect(ids(cards) { $0.maybeWord.contains(.blue) } == [0])
            #expect(ids(cards) { $0.maybeWord.starts(with: nil) } == [])
            #expect(ids(cards) { $0.maybeWord.ends(with: .blue) } == [0])
            #expect(ids(cards) { $0.maybeWord.like(nil) } == [1])
            #expect(ids(cards) { $0.maybeWord.equals(nil) } == [1])
            #expect(ids(cards) { $0.maybeWord.notEquals(.red) } == [0, 1])
            #expect(ids(cards) { $0.words.values.contains(.red) } == [0])
            #expect(ids(cards) { $0.words["b"].like(.blue) } == [0])
            #expect(
                ids(cards) { $0.maybeWords["a"].equals(.red, options: .diacriticInsensitive) }
                    == [0])
            #expect(ids(cards) { $0.cards.word.starts(with: .blue) } == [0])
        }
    }

    @Test("Q5, P16: operators of texts and bytes take types of one's own that are stored so")
    func textsAndBytesOfOnesOwn() async throws {
        try await withCards { cards in
            #expect(ids(cards) { $0.label.contains(Label("oo")) } == [0])
            #expect(ids(cards) { $0.label.starts(with: Label("f")) } == [])
            #expect(
                ids(cards) { $0.label.starts(with: Label("f"), options: .caseInsensitive) } == [0])
            #expect(ids(cards) { $0.label.ends(with: Label("r")) } == [1])
            #expect(ids(cards) { $0.label.like(Label("?a*")) } == [1])
            #expect(ids(cards) { $0.label.equals(Label("Foo")) } == [0])
            #expect(ids(cards) { $0.label.notEquals(Label("Foo")) } == [1])
            #expect(ids(cards) { $0.label.contains(Label("")) } == [])
            #expect(ids(cards) { $0.maybeLabel.contains(Label("o")) } == [0])
            #expect(ids(cards) { $0.maybeLabel.starts(with: Label("fo")) } == [0])
            #expect(ids(cards) { $0.maybeLabel.ends(with: nil) } == [])
            #expect(ids(cards) { $0.maybeLabel.like(Label("f*")) } == [0])
            #expect(ids(cards) { $0.maybeLabel.equals(nil) } == [1])
            #expect(ids(cards) { $0.maybeLabel.notEquals(nil) } == [0])
            #expect(ids(cards) { $0.blob.contains(Blob([2])) } == [0])
            #expect(ids(cards) { $0.blob.starts(with: Blob([1, 2])) } == [0])
            #expect(ids(cards) { $0.blob.ends(with: Blob([9])) } == [1])
            #expect(ids(cards) { $0.blob.equals(Blob([9])) } == [1])
            #expect(ids(cards) { $0.blob.notEquals(Blob([9])) } == [0])
            #expect(ids(cards) { $0.maybeBlob.contains(Blob([3])) } == [0])
            #expect(ids(cards) { $0.maybeBlob.starts(with: Blob([3])) } == [])
            #expect(ids(cards) { $0.maybeBlob.ends(with: Blob([3])) } == [0])
            #expect(ids(cards) { $0.maybeBlob.equals(nil) } == [1])
            #expect(ids(cards) { $0.maybeBlob.notEquals(Blob([2, 3])) } == [1])
        }
    }

    @Test("Q4, P16: optional types of one's own, and two enums, order as what is stored for them")
    func orders() async throws {
        try await withCards { cards in
            #expect(ids(cards) { $0.maybeScore > Score(4) } == [0])
            #expect(ids(cards) { $0.maybeScore >= Score(5) } == [0])
            #expect(ids(cards) { $0.maybeScore < Score(5) } == [])
            #expect(ids(cards) { $0.maybeScore <= Score(5) } == [0])
            #expect(ids(cards) { $0.maybeScore > nil || $0.maybeScore < nil } == [])
            #expect(ids(cards) { $0.maybeScore >= nil && $0.maybeScore <= nil } == [1])
            #expect(ids(cards) { $0.level > $0.floor } == [0])
            #expect(ids(cards) { $0.level >= $0.floor } == [0, 1])
            #expect(ids(cards) { $0.level < $0.floor } == [])
            #expect(ids(cards) { $0.level <= $0.floor } == [1])
            #expect(ids(cards) { $0.best > $0.best || $0.best < $0.best } == [])
            #expect(ids(cards) { $0.best >= $0.best && $0.best <= $0.best } == [0, 1])
        }
    }

    @Test("Q6: the least and the greatest of enums and types of one's own, and the sum of these")
    func aggregates() async throws {
        try await withCards { cards in
            #expect(ids(cards) { $0.levels.min == .low } == [0])
            #expect(ids(cards) { $0.levels.max == .high } == [0])
            #expect(ids(cards) { $0.levels.max > .middle } == [0])
            #expect(ids(cards) { $0.levels.min == nil && $0.levels.max == nil } == [1])
            #expect(ids(cards) { $0.levels.min != .low } == [1])
            #expect(ids(cards) { $0.maybeLevels.min == .middle } == [0])
            #expect(ids(cards) { $0.maybeLevels.max <= .middle } == [0])
            #expect(ids(cards) { $0.levelsByName.max == .low } == [0])
            #expect(ids(cards) { $0.cards.level.min == .middle } == [0])
            #expect(ids(cards) { $0.cards.level.max >= .high } == [0])
            #expect(ids(cards) { $0.cards.best.min == .high } == [0])
            #expect(ids(cards) { $0.scores.min == Score(1) } == [0])
            #expect(ids(cards) { $0.scores.max > Score(2) } == [0])
            #expect(ids(cards) { $0.scores.sum == Score(4) } == [0])
            #expect(ids(cards) { $0.scores.sum == Score(0) } == [1])
            #expect(ids(cards) { $0.maybeScores.max == Score(2) } == [0])
            #expect(ids(cards) { $0.maybeScores.sum == Score(2) } == [0])
            #expect(ids(cards) { $0.cards.score.max == Score(7) } == [0])
            #expect(ids(cards) { $0.cards.score.sum == Score(10) } == [0])
            #expect(ids(cards) { $0.cards.maybeScore.min == Score(5) } == [0])
            #expect(ids(cards) { $0.cards.maybeScore.sum == Score(5) } == [0])
            #expect(ids(cards) { $0.scores.persistableValue.avg == 2 } == [0])
            #expect(ids(cards) { $0.levels.rawValue.avg == 3 } == [0])
        }
    }
}
