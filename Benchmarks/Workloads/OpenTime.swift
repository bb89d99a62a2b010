import RealmActors

let openWorkloads: [Workload<Bench>] = [
    Workload("w12_open") { bench in
        _ = try await bench.personsRealm()
        try await bench.closePersons()
        return [try timeToOpen("w12_open", bench, times: 5)]
    },
    Workload("w12_open_after_kill") { bench in
        _ = try await bench.personsRealm()
        try await bench.closePersons()
        try await ChildProcess.killWhileWriting(
            engine: Report.ourName, path: bench.personsPath, bench.count)
        return [try timeToOpen("w12_open_after_kill", bench)]
    },
]

private func timeToOpen(
    _ row: String, _ bench: Bench, times: Int = 1
) throws -> Measurement {
    try ChildProcess.timeToOpen(
        row,
        .init(job: .open, engine: Report.ourName, path: bench.personsPath, count: bench.count),
        times: times)
}
