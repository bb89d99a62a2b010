import Foundation
import Storage

/// An order of objects by how well their texts match a search: by BM25.
///
/// Each word and each phrase of a search adds
///
///     idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
///
/// to the score of an object, where `tf` is its frequency in the object's texts. The rest are
/// statistics of the index over the whole class that has the texts, in the present version: `idf`
/// is `log(1 + (N - df + 0.5) / (df + 0.5))` for `N` objects of which `df` have the word; a phrase
/// has the sum of its words. The length of a text is the number of its different words, which are
/// its entries in the index, so that their mean is known without reading a text.
package struct Relevance: Sendable {
    let search: TextSearch
    let texts: SearchedTexts
    /// The search as it was written.
    let text: String
    /// The paths from the rows to the texts, which are those of one object; at least one.
    let paths: [ValuePath]
    /// The class of that object.
    let classID: ClassID

    /// The links that lead to it; none where it is the row itself.
    var steps: [ValueStep] { paths[0].steps }

    /// The saturation of the term frequency.
    static let k1 = 1.2
    /// The influence of the length of a text on the weight of its words.
    static let b = 0.75
}

/// The scores of the rows of a class in one version.
struct RelevanceScores: Sendable {
    private let texts: SearchedTexts
    private let steps: [ValueStep]
    private let weights: [(unit: TextSearch.Unit, idf: Double)]
    private let meanLength: Double
    private var counter: TermCounter
    private var keys: [UInt64] = []

    /// Not valid when `cancellation` is over at the end.
    init(
        _ relevance: Relevance, _ view: TreeView, _ cancellation: EvaluationCancellation = .ignored
    ) {
        let rows = view.classView(relevance.classID)
        texts = relevance.texts
        steps = relevance.steps
        let search = relevance.search
        counter = TermCounter(search)
        let total = Double(rows.count)
        let terms = search.units.flatMap { search.terms(of: $0) }
        let statistics = TermStatistics(of: terms, in: texts, rows, cancellation)
        meanLength = total > 0 ? Double(statistics.entryCount) / total : 0
        weights = search.units.map { unit in
            let inverseDocumentFrequencies = search.terms(of: unit).map { term in
                let found = Double(statistics.rowCounts[term.keys, default: 0])
                return log(1 + (total - found + 0.5) / (found + 0.5))
            }
            return (unit, inverseDocumentFrequencies.reduce(0, +))
        }
    }

    /// The score of a row; zero where its texts match nothing, or a link on the way to them is nil.
    /// It is constant within one version.
    mutating func score(_ row: RowLocation, _ view: TreeView) -> Double {
        if steps.isEmpty { return score(row) }
        guard let last = row.following(steps[...], view) else { return 0 }
        return score(last.location)
    }

    private mutating func score(_ row: RowLocation) -> Double {
        counter.reset()
        var length = 0
        _ = texts.forEach(row.cluster, row.slot) { text in
            keys.removeAll(keepingCapacity: true)
            counter.add(text, visit: { keys.append(TermKey($0.bytes).bits) })
            length += TermKey.sortAndDropRepeated(&keys)
        }
        if length == 0 { return 0 }
        let share = Double(length) / meanLength
        let longer = Relevance.k1 * (1 - Relevance.b + Relevance.b * share)
        return weights.reduce(0) { score, weight in
            let count = Double(counter.frequency(weight.unit))
            return score + weight.idf * count * (Relevance.k1 + 1) / (count + longer)
        }
    }
}
