import Testing

@testable import Storage

/// Full-text indexes of so many texts that not all words can be pending in memory.
@Suite struct WordBatchTests {
    private static let note = ClassID(0)
    private static let text = ColumnID(0)
    private static let count = 900

    private static func schema(_ index: ColumnIndex) -> StoreSchema {
        var column = ColumnSchema(name: "text", kind: .string)
        column.index = index
        return StoreSchema(classes: [ClassSchema(name: "Note", columns: [column])])
    }

    /// Creates rows with three words each, one of which is unique.
    ///
    /// - Returns: the maximum number of pending words.
    private static func fill(_ tree: WorkingTree) -> Int {
        var most = 0
        for number in 0..<count {
            let key = tree.createRow(note)
            let words = "few\(number % 7) some\(number % 100) one\(number)"
            tree.set(.string(words), note, key, text)
            most = max(most, tree.states[0].pending[0].count)
        }
        return most
    }

    private static func check(_ tree: WorkingTree) throws {
        let snapshot = tree.capture(version: Version(1))
        func count(_ word: String) -> Int {
            // Safe: lent for the call.
            let keys = Array(word.utf8).withUnsafeBytes { TermKey.keys(of: $0) }
            return withExtendedLifetime(snapshot) {
                snapshot.view.classView(note).range(text, keys: keys[0]...keys[0]).count
            }
        }
        #expect(count("few3") == 129 && count("some42") == 9)
        #expect((0..<Self.count).allSatisfy { count("one\($0)") == 1 })
        let verifier = StoreVerifier(snapshot, isShared: false)
        try verifier.verify()
        #expect(verifier.problemCount == 0)
    }

    @Test func fewWordsOfALargeTransactionWait() throws {
        let tree = WorkingTree(schema: Self.schema(.fullText), account: NodeAccount())
        tree.pendingWordsMax = 64
        let most = Self.fill(tree)
        // An eighth of the final index, and the words of one text.
        #expect((64...Self.count * 3 / 8 + 3).contains(most), "\(most)")
        try Self.check(tree)
    }

    @Test func anIndexIsBuiltInParts() throws {
        let tree = WorkingTree(schema: Self.schema(.none), account: NodeAccount())
        #expect(Self.fill(tree) == 0)
        tree.pendingWordsMax = 64
        tree.adapt(to: Self.schema(.fullText))
        // The buffer keeps the capacity of the maximum number of pending words.
        let room = tree.states[0].pending[0].capacity
        #expect((64..<Self.count * 3).contains(room), "\(room)")
        try Self.check(tree)
    }
}
