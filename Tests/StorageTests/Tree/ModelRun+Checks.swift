import Foundation
import Testing

@testable import Storage

/// Compares the tree with the model.
extension ModelRun {
    func check(_ view: TreeView, _ model: [RowKey: ModelRow], _ place: String) {
        let items = view.classView(S.item)
        #expect(items.count == model.count)
        let keys = model.keys.sorted()
        var clusters = items.makeClusterIterator()
        var seen: [RowKey] = []
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                seen.append(cluster.key(slot))
            }
        }
        #expect(seen == keys)
        var parts = 0
        for (position, key) in keys.enumerated() {
            guard let location = items.attach(key) else {
                Issue.record("row \(key) is missing")
                continue
            }
            let row = ModelRow(view, location)
            if row != model[key] {
                Issue.record("\(place) at \(version): \(row) is not \(model[key]!)")
            }
            if row.size != nil { parts += 1 }
            if position % 7 == 0 { #expect(items.position(of: key) == position) }
            #expect(items.find(.int(row.number)) == key)
        }
        #expect(view.classView(S.part).count == parts)
        checkIndexes(view, items, model)
    }

    func checkIndexes(_ view: TreeView, _ items: ClassView, _ model: [RowKey: ModelRow]) {
        let titles = Dictionary(grouping: model.keys.sorted()) { model[$0]!.title }
        for (title, keys) in titles {
            #expect(items.rows(ColumnID(S.title), equalTo: .string(title)) == keys)
        }
        for (note, keys) in Dictionary(grouping: model.keys.sorted(), by: { model[$0]!.note }) {
            let value = note.map { StoredValue.string($0) } ?? .null
            #expect(items.rows(ColumnID(S.note), equalTo: value) == keys)
        }
        for (uuid, keys) in Dictionary(grouping: model.keys.sorted(), by: { model[$0]!.uuid }) {
            #expect(items.rows(ColumnID(S.uuid), equalTo: .uuid(uuid)) == keys)
        }
        for target in model.keys.sorted().prefix(5) {
            var friends: [RowKey] = []
            view.backlinks(to: target, origin: S.item, column: ColumnID(S.friend))
                .forEach { friends.append($0) }
            #expect(friends == model.keys.filter { model[$0]!.friend == target }.sorted())
            let parents = view.backlinks(to: target, origin: S.item, column: ColumnID(S.children))
            let expected = model.values.reduce(0) { $0 + $1.children.count { $0 == target } }
            #expect(parents.count == expected)
        }
    }
}
