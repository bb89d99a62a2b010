/// Faults of a host's disk, of a host that commits, and of one that reads.
extension HostSchedule {
    /// How many blocks a limited disk has left at most.
    private static let blocksMax = 5
    /// What a host commits so that an image of it is due: groups, and commits in each.
    private static let imageGroups = 6
    private static let imageGroupSize = 12
    /// After how many calls at most other hosts interrupt one that reads.
    private static let readsMax = 6

    /// Limits the disk of a host, so that it is full soon. A later step lifts the limit.
    func limitDisk(_ number: Int, _ run: inout Run) {
        let blocks = run.random.next(below: Self.blocksMax + 1)
        trace?("host \(number) has space for \(blocks) more blocks")
        run.hosts[number].limitDisk(leaving: blocks * SimulatedSpace.blockSize)
    }

    /// The process of a host dies in an append to the shared log, and perhaps its machine with it.
    /// Without an append it dies nevertheless.
    func commitDying(_ number: Int, _ run: inout Run) async throws {
        let host = run.hosts[number]
        let moment: SimulatedSharedLog.AppendMoment = run.random.oneIn(2) ? .before : .after
        trace?("host \(number) dies \(moment) an append")
        host.dieInAppend(moment)
        let count = 1 + run.random.next(below: 3)
        try await commit(count, by: number, &run)
        let policy = run.nextPolicy()
        await host.crash(run.random.next(), policy)
    }

    /// The other hosts make images and trim the log while a host reads it: one that has lost its
    /// folder and opens, or one that lacks their commits.
    func interruptReading(_ number: Int, _ run: inout Run) async throws {
        let (reader, engine) = (run.hosts[number], run.engine)
        let makers = (1..<hosts).map { (number + $0) % hosts }
        for maker in makers where run.hosts[maker].store == nil {
            _ = try run.hosts[maker].open()
        }
        let losesFolder = run.random.oneIn(2)
        if losesFolder {
            await reader.crash(run.random.next(), nil)
            reader.loseFolder()
        }
        // Each of them stays behind the next one, so that their images differ.
        for maker in makers {
            for _ in 0..<Self.imageGroups {
                try await commit(Self.imageGroupSize, by: maker, &run)
            }
        }
        let calls = 1 + run.random.next(below: Self.readsMax)
        trace?("host \(number) is interrupted at call \(calls) while it reads")
        let makeImages = makers.map { run.hosts[$0].imageMaking }
        let interruption = ReadInterruption(afterCalls: calls) {
            for makeImage in makeImages { try makeImage() }
        }
        engine.interruption = interruption
        defer { engine.interruption = nil }
        if losesFolder {
            _ = try reader.open()
        } else {
            try await refresh(number, &run)
        }
        try interruption.check()
        for maker in makers { try run.note(maker) }
    }
}
