/// Reads the entries of a dictionary, some at a time.
///
/// Until format 22, keys and values are the columns of a tree of clusters; since then, they are two
/// trees, whose leaves may end at different positions.
package struct RealmFileEntries {
    private enum Form {
        case clusters(RealmClusterTree)
        case trees(keys: RealmFileElements, values: RealmFileElements)
        case none
    }

    private var form: Form?
    private let dictionary: RealmFileCollection
    private var keys = Rest()
    private var values = Rest()

    /// The remaining part of a leaf.
    private struct Rest {
        var column = RealmFileColumn.unreadable(0)
        var next = 0

        var count: Int { column.count - next }
    }

    init(_ dictionary: RealmFileCollection) { self.dictionary = dictionary }

    /// The next entry; nil after the last one. In a salvage, damaged parts are skipped.
    package mutating func next() throws(RealmFileError) -> (
        key: RealmFileValue, value: RealmFileValue
    )? {
        while true {
            do throws(RealmFileError) {
                guard try fill() else { return nil }
                defer {
                    keys.next += 1
                    values.next += 1
                }
                let key = try keys.column.value(at: keys.next)
                if case .null = key { throw damaged("a dictionary has a key that is null") }
                return (key, try values.column.value(at: values.next))
            } catch {
                try dictionary.source.skip(error)
            }
        }
    }

    /// Whether there is another entry; reads leaves as needed.
    private mutating func fill() throws(RealmFileError) -> Bool {
        if keys.count > 0 && values.count > 0 { return true }
        if form == nil { try begin() }
        switch form {
        case .clusters(var tree):
            defer { form = .clusters(tree) }
            while let leaf = try tree.next() {
                try read(leaf)
                if keys.count > 0 { return true }
            }
            return false
        case .trees(var keyTree, var valueTree):
            // If a part of either is missing, values would be assigned to other keys, so damage
            // ends the reading.
            form = Form.none
            while keys.count == 0, let run = try keyTree.next() { keys = Rest(column: run.column) }
            while values.count == 0, let run = try valueTree.next() {
                values = Rest(column: run.column)
            }
            guard (keys.count == 0) == (values.count == 0) else {
                (keys, values) = (Rest(), Rest())
                throw damaged("a dictionary has more keys than values, or fewer")
            }
            form = .trees(keys: keyTree, values: valueTree)
            return keys.count > 0
        case .some(.none), nil: return false
        }
    }

    private mutating func begin() throws(RealmFileError) {
        form = Form.none
        guard let root = dictionary.root else { return }
        let reader = dictionary.source.pass.reader
        if dictionary.source.pass.format.hasDictionariesInClusters {
            form = .clusters(RealmClusterTree(root: root, of: .entries, reader))
            return
        }
        let parts = try reader.refs(root, "a dictionary")
        let source = dictionary.source.strict
        let keys = RealmFileElements(
            root: try reader.ref(parts, 0, "the keys"), dictionary.keyType, source,
            depth: dictionary.depth)
        let values = RealmFileElements(
            root: try reader.ref(parts, 1, "the values"), Self.valueType, source,
            depth: dictionary.depth)
        form = .trees(keys: keys, values: values)
    }

    /// Independent of the type of the property.
    private static let valueType = RealmValueType(kind: .mixed, isNullable: true, target: nil)

    private mutating func read(_ leaf: RealmClusterTree.Leaf) throws(RealmFileError) {
        let source = dictionary.source
        let reader = source.pass.reader
        func column(_ index: Int, _ type: RealmValueType) throws(RealmFileError) -> Rest {
            let decoder = RealmLeafDecoder(
                type: type, place: .cluster(leaf.keys.count), source: source,
                depth: dictionary.depth)
            return Rest(column: try decoder.column(try reader.ref(leaf.node, index, "entries")))
        }
        let columns = (try column(1, dictionary.keyType), try column(2, Self.valueType))
        (keys, values) = columns
    }

    private func damaged(_ reason: String) -> RealmFileError {
        let offset = dictionary.root.flatMap { Int(exactly: $0) } ?? 0
        return dictionary.source.pass.reader.damaged(offset, reason)
    }
}
