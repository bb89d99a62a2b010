let peerOpenWorkloads: [Workload<PeerBench>] = [
    Workload("w12_open") { bench in
        try bench.openPersons().close()
        return [try timeToOpen("w12_open", bench, times: 5)]
    },
    Workload("w12_open_after_kill") { bench in
        try bench.openPersons().close()
        try await ChildProcess.killWhileWriting(
            engine: bench.peer.name, path: bench.personsPath, bench.count)
        return [try timeToOpen("w12_open_after_kill", bench)]
    },
]

private func timeToOpen(
    _ row: String, _ bench: PeerBench, times: Int = 1
) throws -> Measurement {
    try ChildProcess.timeToOpen(
        row,
        .init(job: .open, engine: bench.peer.name, path: bench.personsPath, count: bench.count),
        times: times)
}
