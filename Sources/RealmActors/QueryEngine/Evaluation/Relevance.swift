import Foundation
import Storage

/// An order of objects by how well their texts answer a search: by BM25.
///
/// The words of a search, and its phrases as wholes, each add
///
///     idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean))
///
/// to the score of an object, where `tf` is how often its texts have it. The rest is what the
/// indexes know of the class in the version at hand, whichever of its objects are ordered: `idf` is
/// `log(1 + (N - df + 0.5) / (df + 0.5))` with all `N` objects and those `df` that have the word;
/// a phrase has the sum of its words. The length of a text is the number of its different words,
/// which are its entries in the index, so that the mean of all takes no look at any text.
package struct Relevance: Sendable {
    let search: TextSearch
    let texts: SearchedTexts
    /// The search as it was written.
    let text: String

    /// How soon more of the same word adds little.
    static let k1 = 1.2
    /// How much long texts are held against their words.
    static let b = 0.75
}

extension QuerySchema {
    /// The order by a search in properties of the rows of a class.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for properties of other objects and such without
    ///   a full-text index, ``RealmError/invalidQuery(message:position:)`` for a search without a
    ///   word.
    func relevance(
        to text: String, in paths: [[String]], of classID: ClassID
    ) throws(RealmError) -> Relevance {
        var columns: [ColumnID] = []
        for path in paths {
            let bound = try bindSingle(path, in: classID)
            guard bound.steps.isEmpty, case .value(let column, let schema) = bound.end,
                schema.isFullText
            else {
                let name = path.joined(separator: ".")
                throw .invalidKeyPath(
                    "Relevance is that of texts of the objects themselves which have a full-text "
                        + "index, and '\(name)' of class '\(store[classID].name)' is none. Declare "
                        + "it with @Persisted(indexed: .fullText), or search it in a condition.")
            }
            columns.append(ColumnID(column))
        }
        guard !columns.isEmpty else {
            throw .invalidQuery(message: "A search needs at least one property.", position: nil)
        }
        return Relevance(
            search: try .required(text), texts: SearchedTexts(columns, store[classID]), text: text)
    }
}

/// What objects of a class score in one version.
struct RelevanceScores {
    private let texts: SearchedTexts
    private let weights: [(unit: TextSearch.Unit, idf: Double)]
    private let meanLength: Double
    private var tally: SearchTally
    private var keys: [UInt64] = []

    init(_ relevance: Relevance, _ rows: ClassView) {
        texts = relevance.texts
        tally = SearchTally(relevance.search)
        let columns = texts.columns
        let total = Double(rows.count)
        let entries = columns.reduce(0) { $0 + rows.range($1, keys: 0...UInt64.max).count }
        meanLength = total > 0 ? Double(entries) / total : 0
        weights = relevance.search.units.map { unit in
            let rarities = relevance.search.terms(of: unit).map { term in
                let found = Double(Postings(of: term, in: columns, rows).rowCount(rows))
                return log(1 + (total - found + 0.5) / (found + 0.5))
            }
            return (unit, rarities.reduce(0, +))
        }
    }

    /// The score of a row; zero where its texts have nothing that is asked for.
    mutating func score(_ row: RowLocation) -> Double {
        tally.reset()
        var length = 0
        _ = texts.forEach(row.cluster, row.slot) { text in
            keys.removeAll(keepingCapacity: true)
            tally.add(text, visit: { keys.append(TermKey($0.bytes).bits) })
            length += TermKey.sortAndDropRepeated(&keys)
        }
        if length == 0 { return 0 }
        let share = Double(length) / meanLength
        let longer = Relevance.k1 * (1 - Relevance.b + Relevance.b * share)
        return weights.reduce(0) { score, weight in
            let count = Double(tally.frequency(weight.unit))
            return score + weight.idf * count * (Relevance.k1 + 1) / (count + longer)
        }
    }
}

extension RelevanceScores {
    /// In front of as many rows the task is asked whether to go on.
    private static let batchSize = 256

    /// The rows, those of the highest score first: all of them, or the first `limit`. Rows of one
    /// score keep their order.
    static func sort(
        _ rows: RowStream, by relevance: Relevance, limit: Int?, in view: TreeView,
        _ classID: ClassID, _ pace: EvaluationPace
    ) -> [RowKey] {
        if let limit, limit <= 0 { return [] }
        var scores = RelevanceScores(relevance, view.classView(classID))
        var keys: [RowKey] = []
        var entries: [SortEntry] = []
        rows.forEachRow(view, classID, pace) { row in
            if keys.count % batchSize == 0, pace.isOver { return false }
            // No score is negative, and such numbers order as their bits do.
            let bits = ~scores.score(row).bitPattern
            entries.append(
                SortEntry(bits: bits, row: UInt32(truncatingIfNeeded: keys.count), rank: 1))
            keys.append(row.cluster.key(row.slot))
            return true
        }
        SortEntry.sort(&entries[...])
        return entries.prefix(limit ?? .max).map { keys[Int($0.row)] }
    }
}
