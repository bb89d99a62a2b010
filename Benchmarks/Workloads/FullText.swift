import Foundation
import RealmActors

/// Texts with an index of their words: making them, and searching.
let fullTextWorkloads: [Workload<Bench>] = [
    Workload("w22_fulltext_build", "w22_fulltext_search") { bench in
        let count = Notes.count(bench.count)
        let path = bench.folder.appendingPathComponent("notes-\(UUID().uuidString).realm").path
        let realm = try await Realm.open(.init(path: path, objectTypes: [Note.self]))
        let clock = ContinuousClock()
        let start = clock.now
        try await realm.write { tx in
            for number in 0..<count {
                let note = Note()
                note.text = Notes.text(number)
                try tx.add(note)
            }
        }
        let seconds = (clock.now - start).inSeconds
        let notes = realm.objects(Note.self)
        let ask = {
            Notes.searches.reduce(0) { sum, search in
                sum + notes.where { $0.text.fullText(search.text) }.count
            }
        }
        _ = ask()
        let runs = (0..<3).map { _ in timed(ask) }
        let check = Check.equal(runs[0].result, Notes.expected(count))
        try await bench.discard(realm)
        return [
            Measurement(
                "w22_fulltext_build", Double(count) / seconds, "objects/s",
                check: .equal(notes.count, count)),
            Measurement(
                "w22_fulltext_search", runs.map(\.seconds).median * 1000, "ms", check: check),
        ]
    }
]

extension Notes.Search {
    /// As this database asks for it.
    fileprivate var text: String {
        switch self {
        case .all(let words): words.joined(separator: " ")
        case .prefix(let prefix): prefix + "*"
        case .without(let word, let other): "\(word) -\(other)"
        }
    }
}
