import Foundation

let peerFullTextWorkloads: [Workload<PeerBench>] = [
    Workload("w22_fulltext_build", "w22_fulltext_search") { bench in
        let count = Notes.count(bench.count)
        let path = try bench.makeFolder("notes")
        guard let result = try bench.peer.fullText(path: path, notes: count) else {
            let reason = "no index of words"
            return [
                .unsupported("w22_fulltext_build", reason),
                .unsupported("w22_fulltext_search", reason),
            ]
        }
        try bench.discard("notes")
        return [
            Measurement(
                "w22_fulltext_build", Double(count) / result.buildSeconds, "objects/s",
                check: .equal(count, count)),
            Measurement(
                "w22_fulltext_search", result.searchSeconds * 1000, "ms",
                check: .equal(result.found, Notes.expected(count))),
        ]
    }
]
