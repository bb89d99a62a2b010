import Storage

/// The properties of an object that are searched as if they were one text.
struct SearchedTexts: Sendable {
    let columns: [ColumnID]
    private let isNullable: [Bool]

    /// The texts of columns with a full-text index, each column once.
    init(_ columns: [ColumnID], _ schema: ClassSchema) {
        var seen: Set<ColumnID> = []
        self.columns = columns.filter { seen.insert($0).inserted }
        isNullable = self.columns.map { schema.columns[$0.rawValue].isNullable }
    }

    /// The texts of one column.
    init(_ column: Int, _ schema: ColumnSchema) {
        columns = [ColumnID(column)]
        isNullable = [schema.isNullable]
    }

    // Unsafe: the texts are borrowed for the calls, in which the caller holds the row.
    /// Calls `body` with each text that is there.
    ///
    /// - Returns: whether there was any.
    @inline(__always)
    func forEach(
        _ cluster: Cluster, _ slot: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        var hasText = false
        for (index, column) in columns.enumerated() {
            if isNullable[index], cluster.isNull(column.rawValue, slot) { continue }
            hasText = true
            if let texts = cluster.strings(column.rawValue) { body(texts.utf8(slot)) }
        }
        return hasText
    }
}

/// Objects whose texts match a search. Null never matches.
package struct SearchScan: Sendable {
    let texts: SearchedTexts
    private let search: TextSearch
    private let words: WordSearch?

    init(_ search: TextSearch, in texts: SearchedTexts) {
        self.texts = texts
        self.search = search
        words = WordSearch(search)
    }

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        var counter: TermCounter?
        mask.filter { slot in
            if let words, isASCII(cluster, slot) {
                return words.isSatisfied { word in
                    var isFound = false
                    _ = texts.forEach(cluster, slot) { isFound = isFound || word.occurs(in: $0) }
                    return isFound
                }
            }
            if counter == nil { counter = TermCounter(search) }
            counter?.reset()
            return texts.forEach(cluster, slot) { counter?.add($0) } && counter?.isMatch == true
        }
    }

    /// Whether there is a text, and no character beyond ASCII.
    @inline(__always)
    private func isASCII(_ cluster: Cluster, _ slot: Int) -> Bool {
        var isASCII = true
        return texts.forEach(cluster, slot) { isASCII = isASCII && TextFolding.isASCII($0) }
            && isASCII
    }
}
