import Storage

/// Texts of a column that contain, begin with, end with or are like another.
package struct TextScan: Sendable {
    let column: Int
    let matcher: TextMatcher
    let isNegated: Bool
    let isNullable: Bool

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        mask.narrow(nullable: isNullable, matchesNull: isNegated, column, cluster) { mask in
            guard let chunk = cluster.strings(column) else {
                // Unsafe: an empty buffer, which nothing is read from.
                if matcher.matches(UnsafeRawBufferPointer(start: nil, count: 0)) == isNegated {
                    mask.clear()
                }
                return
            }
            if matcher.isExact, !isNegated {
                narrowExact(&mask, chunk, cluster.slotCount)
            } else {
                mask.filter { matcher.matches(chunk.utf8($0)) != isNegated }
            }
        }
    }

    private func narrowExact(
        _ mask: inout ClusterMask, _ chunk: StringChunk, _ count: Int
    ) {
        // Unsafe: the needle is borrowed for the scan, and only read.
        matcher.needle.withUnsafeBytes { needle in
            let length = needle.count
            switch matcher.kind {
            case .contains:
                mask.filter { slot in
                    chunk.length(slot) >= length
                        && ByteSearch<ExactBytes>.contains(chunk.utf8(slot), needle)
                }
            case .beginsWith:
                let head = TextHead.of(matcher.needle)
                let bits = TextHead.bits(ofFirst: length)
                TextHead.narrow(&mask, chunk, count, equalTo: head, in: bits)
                // Short texts are padded with zeros, which a needle may have too.
                if length > TextHead.size || matcher.needle.contains(0) {
                    mask.filter { ByteSearch<ExactBytes>.begins(chunk.utf8($0), needle) }
                }
            case .endsWith, .equals, .notEquals, .like:
                mask.filter { matcher.matches(chunk.utf8($0)) }
            }
        }
    }
}
