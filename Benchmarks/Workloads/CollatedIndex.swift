import Foundation
import RealmActors

/// A text with an index of its place in the order of people.
final class SpelledText: Object, IndexedModel {
    @Persisted var text: String

    static var indexes: [Index<SpelledText>] { [Index(\.text, collation: .people)] }
}

/// Texts with marks and capitals, whose index has the order of people: the first thousand.
let collatedIndexWorkload = Workload<Bench>("w28_collated_index") { bench in
    let spellings = (0..<bench.count / 5).map(Spelling.init)
    let path = bench.folder.appendingPathComponent("spellings-\(UUID().uuidString).realm").path
    let realm = try await Realm.open(.init(path: path, objectTypes: [SpelledText.self]))
    try await realm.write { tx in
        for spelling in spellings {
            let spelled = SpelledText()
            spelled.text = spelling.text
            try tx.add(spelled)
        }
    }
    let texts = realm.objects(SpelledText.self)
    let ask = { texts.sorted(by: \.text, collation: .people).prefix(1000).map { $0.text } }
    _ = ask()
    let runs = (0..<5).map { _ in timed(ask) }
    let expected = spellings.sorted { $0.order.lexicographicallyPrecedes($1.order) }
        .prefix(1000).map(\.text)
    try await bench.discard(realm)
    let inPlace = zip(runs[0].result, expected).count { $0 == $1 }
    return [
        Measurement(
            "w28_collated_index", runs.map(\.seconds).median * 1000, "ms",
            check: .equal(inPlace, expected.count))
    ]
}

/// A text of three stems, some letters of which are capitals or have a mark. It knows its place
/// among others from how it was made, without a collation.
private struct Spelling {
    private static let stems = [
        "saint", "pierre", "olen", "mare", "grande", "lunga", "avenue", "port", "ville", "hafen",
        "berg", "sol", "estrada", "nova", "ponte", "rio",
    ]
    /// No mark, and marks of vowels in the order of their numbers.
    private static let marks = ["", "\u{300}", "\u{301}", "\u{302}", "\u{308}"]
    private static let seed: UInt64 = 0x0706_0504_0302_0100

    /// With letters and marks in one character.
    let text: String
    /// The letters; then, for each place, its mark; then whether it is a capital.
    let order: [UInt8]

    init(_ number: Int) {
        func draw(_ place: Int, of count: Int) -> Int {
            Int(Dataset.draw(Self.seed, UInt64(number * 64 + place)) % UInt64(count))
        }
        let words = (0..<3).map { Self.stems[draw($0, of: Self.stems.count)] }
        var spelled = ""
        var letters: [UInt8] = []
        var marks: [UInt8] = []
        var capitals: [UInt8] = []
        for (place, letter) in words.joined(separator: " ").enumerated() {
            let isCapital = letter != " " && draw(place + 3, of: 8) == 0
            let drawn = draw(place + 32, of: 20)
            let mark = "aeiou".contains(letter) && drawn < Self.marks.count ? drawn : 0
            spelled += (isCapital ? letter.uppercased() : String(letter)) + Self.marks[mark]
            letters.append(letter.asciiValue ?? 0)
            marks.append(UInt8(mark))
            capitals.append(isCapital ? 1 : 0)
        }
        text = spelled.precomposedStringWithCanonicalMapping
        // A zero is less than any letter: what ends comes before what goes on.
        order = letters + [0] + marks + capitals
    }
}
