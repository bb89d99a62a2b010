import Foundation
import RealmActors

/// A place with its names in other languages.
final class Place: Object {
    @Persisted var name: String
    @Persisted var otherNames: List<String>
}

/// Searches in which neither case nor accents count, as how many times the plain search of the same
/// texts they take.
let foldedTextWorkloads: [Workload<Bench>] = [
    Workload("w23_folded_ascii", "w23_folded_mixed", "w23_folded_any", "w23_list_equal") { bench in
        let path = bench.folder.appendingPathComponent("places.realm").path
        let realm = try await Realm.open(.init(path: path, objectTypes: [Place.self]))
        let count = 100_000
        var rows: [Measurement] = []
        for words in [PlaceNames.ascii, PlaceNames.mixed] {
            var random = SplitMix()
            let places = (0..<count).map { _ in PlaceNames(words, &random) }
            try await realm.write { tx in
                try tx.deleteAll()
                for place in places {
                    let new = try tx.create(Place.self)
                    new.name = place.name
                    new.otherNames.append(objectsIn: place.others)
                }
            }
            rows += try measure(realm, places, isASCII: words == PlaceNames.ascii)
        }
        try await bench.discard(realm)
        return rows
    }
]

private func measure(
    _ realm: Realm, _ places: [PlaceNames], isASCII: Bool
) throws -> [Measurement] {
    func found(_ condition: (String) -> Bool) -> Int {
        places.count { condition(PlaceNames.folded($0.name)) }
    }
    let plain = try seconds(realm, "name CONTAINS 'fluss'")
    let folded = try seconds(realm, "name CONTAINS[cd] 'FLUSS'")
    let name = isASCII ? "w23_folded_ascii" : "w23_folded_mixed"
    var rows = [
        Measurement(
            name, folded.seconds / plain.seconds, "x plain",
            check: .equal(folded.count, found { $0.contains("fluss") }))
    ]
    guard !isASCII else { return rows }
    let any = try seconds(realm, "ANY otherNames CONTAINS 'fluss'")
    let anyFolded = try seconds(realm, "ANY otherNames CONTAINS[cd] 'FLUSS'")
    let expected = places.count { place in
        place.others.contains { PlaceNames.folded($0).contains("fluss") }
    }
    rows.append(
        Measurement(
            "w23_folded_any", anyFolded.seconds / any.seconds, "x plain",
            check: .equal(anyFolded.count, expected)))
    let sought = places[places.count / 2].others[0]
    let equal = try seconds(realm, "ANY otherNames == '\(sought)'")
    rows.append(
        Measurement(
            "w23_list_equal", equal.seconds / any.seconds, "x ANY CONTAINS",
            check: .equal(equal.count, places.count { $0.others.contains(sought) })))
    return rows
}

/// The median of five evaluations.
private func seconds(_ realm: Realm, _ query: String) throws -> (seconds: Double, count: Int) {
    var (times, count) = ([Double](), 0)
    for _ in 0..<5 {
        let (seconds, found) = try timed {
            try realm.objects(Place.self).filter(query).count
        }
        times.append(seconds)
        count = found
    }
    return (times.median, count)
}

/// Names made of words.
private struct PlaceNames {
    static let ascii = [
        "San", "Saint", "Upper", "New", "Brook", "Town", "Fluss", "fluss", "Mont", "Lake", "Port",
        "Villa", "North", "Castle", "Bridge", "River", "Old", "Field", "Wood", "Haven",
    ]
    /// The same and words of other scripts, two of them with marks behind their letters.
    static let mixed =
        ascii + [
            "Z\u{FC}rich", "M\u{E1}laga", "\u{141}\u{F3}d\u{17A}", "S\u{E3}o", "Fl\u{FC}ss",
            "\u{41C}\u{43E}\u{441}\u{43A}\u{432}\u{430}", "\u{391}\u{3B8}\u{3AE}\u{3BD}\u{3B1}",
            "\u{627}\u{644}\u{642}\u{627}\u{647}\u{631}\u{629}", "\u{6771}\u{4EAC}",
            "\u{C11C}\u{C6B8}",
            "\u{E01}\u{E23}\u{E38}\u{E07}\u{E40}\u{E17}\u{E1E}",
            "\u{92E}\u{941}\u{902}\u{92C}\u{908}", "\u{5EA}\u{5DC} \u{5D0}\u{5D1}\u{5D9}\u{5D1}",
            "\u{110}\u{E0} N\u{1EB5}ng", "\u{130}zmir", "\u{C6}r\u{F8}", "Orl\u{E9}ans",
            "Gr\u{F6}\u{DF}e", "\u{535}\u{580}\u{587}\u{561}\u{576}",
            "caf\u{E9}\u{301}", "Flu\u{308}ss",
        ]

    let name: String
    let others: [String]

    init(_ words: [String], _ random: inout SplitMix) {
        func text() -> String {
            (0..<Int.random(in: 1...3, using: &random)).map { _ in
                words[Int.random(in: 0..<words.count, using: &random)]
            }.joined(separator: " ")
        }
        name = text()
        others = (0..<Int.random(in: 1...5, using: &random)).map { _ in text() }
    }

    /// As the searches should see it: these words have no letters for which it matters how.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }
}

/// The same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64 = 23

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
