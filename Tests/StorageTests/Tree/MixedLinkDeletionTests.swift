import Testing

@testable import Storage

/// Links within values of any type, which have no backlinks.
@Suite struct MixedLinkDeletionTests {
    private static let holder = ClassID(0)
    private static let target = ClassID(1)
    private static let other = ClassID(2)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Holder",
            columns: [
                ColumnSchema(name: "value", kind: .mixed, isIndexed: true),
                ColumnSchema(name: "list", kind: .mixed, container: .list),
                ColumnSchema(name: "set", kind: .mixed, container: .set),
                ColumnSchema(name: "map", kind: .mixed, container: .map),
            ]),
        ClassSchema(name: "Target", columns: [ColumnSchema(name: "number", kind: .int)]),
        ClassSchema(name: "Other", columns: [ColumnSchema(name: "number", kind: .int)]),
    ])
    private let tree = WorkingTree(schema: schema, account: NodeAccount())

    private func link(_ key: RowKey) -> StoredValue { .object(Self.target, key) }

    private var targets: MixedTargets { tree.view.classView(Self.holder).root.mixedTargets }

    // Unsafe: the address of a node that the tree keeps, as long as it is not edited.
    /// The address of the root of the holders.
    private var root: UnsafeMutableRawPointer { tree.view.classView(Self.holder).root.node.raw }

    /// Creates a row that links to two targets in every way.
    private func fill() -> (row: RowKey, targets: [RowKey]) {
        let targets = [tree.createRow(Self.target), tree.createRow(Self.target)]
        let row = tree.createRow(Self.holder)
        let nested = StoredValue.list(
            NestedID(1),
            [
                .dictionary(NestedID(2), [NestedEntry(key: "a", value: link(targets[0]))]),
                link(targets[1]),
            ])
        tree.set(nested, Self.holder, row, ColumnID(0))
        tree.listAppend(
            contentsOf: [.int(1), link(targets[0]), nested, link(targets[1])], Self.holder, row,
            ColumnID(1))
        for value in [.string("x"), link(targets[0]), link(targets[1])] {
            _ = tree.setInsert(value, Self.holder, row, ColumnID(2))
        }
        tree.mapSet(link(targets[0]), forKey: "a", Self.holder, row, ColumnID(3))
        tree.mapSet(nested, forKey: "b", Self.holder, row, ColumnID(3))
        _ = tree.takeDelta()
        return (row, targets)
    }

    @Test func whatLinkedToADeletedRowIsNull() throws {
        let (row, targets) = fill()
        tree.delete(Self.target, [targets[0]])
        let found = (0..<4).map {
            tree.contents(Self.holder, row, ColumnID($0), Self.schema[Self.holder].columns[$0])
        }
        let nested = StoredValue.list(
            NestedID(1),
            [
                .dictionary(NestedID(2), [NestedEntry(key: "a", value: .null)]),
                link(targets[1]),
            ])
        #expect(found[0] == .value(nested))
        #expect(found[1] == .elements([.int(1), .null, nested, link(targets[1])]))
        #expect(found[2] == .elements([.string("x"), link(targets[1])]))
        #expect(found[3] == .entries(keys: ["a", "b"], values: [.null, nested]))
        let delta = tree.takeDelta()
        let marks = try #require(delta.classes[Self.holder.rawValue])
        for column in 0..<4 { #expect(marks.touchedRows(column) == [row]) }
        let list = try #require(marks.edits[SequenceID(key: row, column: ColumnID(1))])
        #expect(list.modifications == [1, 2] && list.deletions.isEmpty && list.insertions.isEmpty)
        let verifier = StoreVerifier(tree.capture(version: Version(1)), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
    }

    /// If nothing links to a class, deleting its rows does not scan for links.
    @Test func classesThatNothingLinksToCostNothing() {
        let row = tree.createRow(Self.holder)
        tree.set(.string("no link"), Self.holder, row, ColumnID(0))
        #expect(targets == .none)
        let (_, linked) = fill()
        #expect(!targets.isEmpty && !targets.mayLead(to: .of(Self.other)))
        let snapshot = tree.capture(version: Version(1))
        let before = root
        tree.delete(Self.other, [tree.createRow(Self.other)])
        #expect(root == before)
        tree.delete(Self.target, [linked[0]])
        #expect(root != before && targets.mayLead(to: .of(Self.target)))
        tree.delete(Self.target, [linked[1]])
        // The last pass has found no other link.
        #expect(targets == .none)
        withExtendedLifetime(snapshot) {}
    }

    /// Stores of earlier versions do not record the targets of their links, some of which may
    /// dangle.
    @Test func storesOfEarlierVersionsAreScannedOnce() {
        let (row, linked) = fill()
        tree.listAppend(contentsOf: [link(RowKey(1 << 40))], Self.holder, row, ColumnID(1))
        tree.uniqueRoot(Self.holder).mixedTargets = MixedTargets(bits: 0)
        tree.set(link(linked[1]), Self.holder, tree.createRow(Self.holder), ColumnID(0))
        #expect(targets == MixedTargets(bits: 0))
        tree.delete(Self.other, [tree.createRow(Self.other)])
        #expect(targets == .of(Self.target))
        tree.delete(Self.target, linked)
        let list = tree.contents(
            Self.holder, row, ColumnID(1), Self.schema[Self.holder].columns[1])
        guard case .elements(let elements) = list else { return }
        #expect(elements[1] == .null && elements[3] == .null)
        #expect(elements[4] == link(RowKey(1 << 40)))
        #expect(tree.view.present(elements[4]) == .null)
    }

    /// Replay of a record records the targets of links as well.
    @Test func replayRecordsTargets() throws {
        let follower = WorkingTree(schema: Self.schema, account: NodeAccount())
        let targets = [tree.createRow(Self.target)]
        let row = tree.createRow(Self.holder)
        tree.set(link(targets[0]), Self.holder, row, ColumnID(0))
        tree.listAppend(contentsOf: [link(targets[0])], Self.holder, row, ColumnID(1))
        try replay(into: follower)
        #expect(
            follower.view.classView(Self.holder).root.mixedTargets.mayLead(to: .of(Self.target)))
        tree.delete(Self.target, targets)
        try replay(into: follower)
        for column in 0..<2 {
            let schema = Self.schema[Self.holder].columns[column]
            #expect(
                follower.contents(Self.holder, row, ColumnID(column), schema)
                    == tree.contents(Self.holder, row, ColumnID(column), schema))
        }
    }

    private func replay(into follower: WorkingTree) throws {
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        try group.append(version: Version(1)) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: nil, time: 0, into: &writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: follower)
        }
    }
}

extension MixedTargets {
    fileprivate static func of(_ id: ClassID) -> MixedTargets {
        var targets = MixedTargets.none
        targets.insert(id)
        return targets
    }
}
