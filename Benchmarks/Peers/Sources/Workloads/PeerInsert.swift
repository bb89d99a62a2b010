import Foundation

let peerInsertWorkloads: [Workload<PeerBench>] = [
    Workload("w01_insert", "w01_peak_rss", "w01_file_bytes") { bench in
        let peer = try bench.open("insert", .synced)
        let seconds = try timed { try peer.insertPersons(0..<bench.count) { $0 } }.seconds
        let peak = Disk.peakResidentBytes
        let check = Check.equal(try peer.objectCount(), bench.count)
        try peer.close()
        let bytes = Disk.bytes(at: bench.path("insert"))
        try bench.discard("insert")
        return [
            Measurement("w01_insert", Double(bench.count) / seconds, "objects/s", check: check),
            Measurement(
                "w01_peak_rss", Double(peak) / 1_000_000, "MB", check: .note("of the process")),
            Measurement(
                "w01_file_bytes", Double(bytes) / 1_000_000, "MB", check: .note("after closing")),
        ]
    },
    Workload("w01b_insert_shuffled") { bench in
        let peer = try bench.open("shuffled", .synced)
        let seconds = try timed {
            try peer.insertPersons(0..<bench.count, key: Dataset.shuffledKey)
        }.seconds
        let last = bench.count - 1
        let isThere = try peer.name(of: Dataset.shuffledKey(last)) == Dataset.name(last)
        let found = isThere ? try peer.objectCount() : -1
        try peer.close()
        try bench.discard("shuffled")
        return [
            Measurement(
                "w01b_insert_shuffled", Double(bench.count) / seconds, "objects/s",
                check: .equal(found, bench.count))
        ]
    },
]
