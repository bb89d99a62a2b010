let peerStreamWorkloads: [Workload<PeerBench>] = [
    Workload("w13_stream") { bench in
        let commits = 600
        let path = try bench.makeFolder("stream")
        let latencies = try await bench.peer.streamLatencies(
            path: path, rows: 1000, commits: commits)
        try bench.discard("stream")
        guard let latencies else { return [.unsupported("w13_stream")] }
        return [
            Measurement(
                "w13_stream", latencies.median, "us", check: .equal(latencies.count, commits))
        ]
    }
]
