import Foundation

let peerCompositeWorkloads: [Workload<PeerBench>] = [
    Workload("w24_composite_lookups", "w24_composite_pages") { bench in
        let count = Ledger.count(bench.count)
        let path = try bench.makeFolder("ledger")
        guard let result = try bench.peer.composites(path: path, entries: count) else {
            let reason = "no index of several properties"
            return [
                .unsupported("w24_composite_lookups", reason),
                .unsupported("w24_composite_pages", reason),
            ]
        }
        try bench.discard("ledger")
        let expected = Ledger.expected(count)
        return [
            Measurement(
                "w24_composite_lookups",
                Double(Ledger.lookUps(count)) / result.lookUpSeconds, "lookups/s",
                check: .equal(result.sum, expected.sum)),
            Measurement(
                "w24_composite_pages", Double(result.pages) / result.pageSeconds, "pages/s",
                check: .equal(result.hash, expected.hash)),
        ]
    }
]
