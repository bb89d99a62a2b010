import StorageHarness

@testable import Storage

/// Processes that take turns writing one store, on a disk whose calls sometimes fail, compared with
/// a model of the contents of each version.
struct HandoverModel {
    typealias Contents = [Int64: StoreProcess.Row]

    private let disk = SimulatedDisk()
    private var random: SeededGenerator
    private let isRelaxed: Bool
    private let logSize: Int
    private let replayedMax: Int
    private let filesMax: Int
    private var processes: [StoreProcess?]
    /// The process that has the writer lease.
    private var writer: Int?
    /// The contents of each version; several alternatives after a commit of unknown outcome.
    private var versions: [Version: [Contents]] = [.zero: [[:]], Version.zero.next: [[:]]]
    /// The same, including the contents of lost versions with the same number.
    private var versionsEver: [Version: [Contents]] = [.zero: [[:]], Version.zero.next: [[:]]]
    private var acknowledged = Version.zero
    private var nextNumber: Int64 = 0
    private var step = 0
    private(set) var problems: [String] = []
    private(set) var faultCount = 0
    private(set) var handoverCount = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        isRelaxed = Int.random(in: 0..<3, using: &random) == 0
        logSize = Bool.random(using: &random) ? 8 << 10 : 256 << 10
        replayedMax = Bool.random(using: &random) ? 0 : 4_000
        filesMax = Bool.random(using: &random) ? 2 : 128
        processes = Array(repeating: nil, count: Int.random(in: 2...3, using: &random))
    }

    mutating func run(steps: Int) async {
        while step < steps, problems.isEmpty {
            step += 1
            await takeStep()
        }
        for index in processes.indices where problems.isEmpty { await close(index) }
        if problems.isEmpty { open(0) }
        if problems.isEmpty { requireSound(0) }
        await close(0)
    }

    private mutating func takeStep() async {
        if chance(1, in: 12) { checkImage() }
        let index = Int.random(in: processes.indices, using: &random)
        guard let process = processes[index] else {
            if writer == nil { open(index) }
            return
        }
        if process.engine.failure != nil {
            // It remains one of the processes for a while.
            if writer == index, chance(1, in: 2) { return release(process) }
            return chance(1, in: 2) ? await close(index) : follow(process)
        }
        if writer == index {
            chance(1, in: 4) ? release(process) : await use(process, index)
        } else if writer == nil, chance(1, in: 2) {
            takeOver(process, index)
        } else {
            follow(process)
        }
    }

    // MARK: Processes

    private mutating func open(_ index: Int) {
        let relaxed = isRelaxed
        let (logSize, replayedMax, filesMax) = (logSize, replayedMax, filesMax)
        let opened = withFault(1, in: 6) { disk in
            try StoreProcess(disk, replayedMax: replayedMax) { options in
                if relaxed { options.durability = .written }
                options.segmentSizeMin = logSize
                options.segmentSizeMax = logSize
                options.pages.openFilesMax = filesMax
                StoreProcess.smallPages(&options)
                options.pageCommitBytes = 24 << 10
                options.spillBytes = 8 << 10
            }
        }
        guard let process = opened else { return }
        processes[index] = process
        writer = index
        noteTaken(process)
    }

    private mutating func close(_ index: Int) async {
        guard let process = processes[index] else { return }
        await process.close()
        processes[index] = nil
        if writer == index { writer = nil }
    }

    private mutating func takeOver(_ process: StoreProcess, _ index: Int) {
        guard withFault(1, in: 3, { _ in try process.takeOver() }) != nil else {
            try? process.log.releaseLease()
            return check(process)
        }
        writer = index
        handoverCount += 1
        noteTaken(process)
        if chance(1, in: 8) { requireSound(index) }
    }

    private mutating func release(_ process: StoreProcess) {
        let hadFailed = process.engine.failure != nil
        _ = withFault(1, in: 2, mayFail: hadFailed) { _ in try process.follower.releaseLease() }
        writer = nil
        // As real processes do at once.
        if process.engine.failure == nil, process.log.failure == nil {
            do { try process.follower.follow() } catch { note("after a release: \(error)") }
        }
        check(process)
    }

    private mutating func follow(_ process: StoreProcess) {
        let hadFailed = process.engine.failure != nil
        if hadFailed { return check(process) }
        _ = withFault(1, in: 2) { _ in try process.follower.follow() }
        check(process)
    }

    // MARK: Writing

    private mutating func use(_ process: StoreProcess, _ index: Int) async {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: commit(process)
        case 5: stopWriting(process)
        case 6, 7: _ = withFault(1, in: 3, mayFail: true) { _ in try process.engine.checkpoint() }
        case 8:
            let isFull = chance(1, in: 2)
            _ = withFault(1, in: 3, mayFail: true) { _ in try process.compact(isFull: isFull) }
        default: if process.engine.failure == nil { requireSound(index) }
        }
        check(process)
    }

    /// A transaction that is rolled back, perhaps after it has spilled.
    private mutating func stopWriting(_ process: StoreProcess) {
        let first = nextNumber
        let count = Int64(chance(1, in: 2) ? 1_500 : 5)
        _ = withFault(1, in: 3, mayFail: true) { _ in
            try process.engine.beginBody()
            process.add(first..<first + count, to: process.engine.tree)
            process.engine.rollBack()
            process.engine.endBody(nil, waiter: .nobody)
        }
    }

    private mutating func commit(_ process: StoreProcess) {
        var after = versions[process.engine.latest.version]?.first ?? [:]
        let change = makeChange(of: &after)
        var made: Version?
        let faultsBefore = faultCount
        _ = withFault(1, in: 4, mayFail: true) { _ in
            let engine = process.engine
            try engine.beginBody()
            change(process)
            do {
                let version = try engine.encodeCommit(author: nil, time: 0)
                made = version
                engine.endBody(version, waiter: .nobody)
            } catch {
                engine.rollBack()
                engine.endBody(nil, waiter: .nobody)
                throw error
            }
        }
        guard let made else {
            if faultCount == faultsBefore { note("nothing was changed") }
            return
        }
        versionsEver[made, default: []].append(after)
        if process.engine.latest.version == made {
            versions[made] = [after]
            acknowledged = made
        } else if process.engine.failure != nil {
            versions[made, default: []].append(after)
        }
    }

    /// A random change, applied to the model and returned for the store.
    private mutating func makeChange(of contents: inout Contents) -> (StoreProcess) -> Void {
        let known = contents.keys.sorted()
        let kind = known.isEmpty ? 0 : Int.random(in: 0..<6, using: &random)
        switch kind {
        case 0, 1:
            let count = chance(1, in: 4) ? Int64(1_200) : Int64.random(in: 1...20, using: &random)
            let numbers = nextNumber..<nextNumber + count
            nextNumber += count
            for number in numbers { contents[number] = StoreProcess.Row(number) }
            return { $0.add(numbers, to: $0.engine.tree) }
        case 2:
            let start = Int.random(in: known.indices, using: &random)
            let deleted = known[start..<min(known.count, start + (chance(1, in: 3) ? 700 : 5))]
            for number in deleted { contents[number] = nil }
            return { $0.delete(deleted) }
        default:
            let number = known.randomElement(using: &random) ?? 0
            let tag = Int64.random(in: 0..<1_000, using: &random)
            contents[number]?.tags.append(tag)
            return { $0.append(tag, to: number) }
        }
    }

    // MARK: Checking

    /// After the lease was taken, the store has the contents of the log.
    private mutating func noteTaken(_ process: StoreProcess) {
        check(process)
        let version = process.engine.latest.version
        if version < acknowledged {
            note("\(acknowledged) was acknowledged, and \(version) is there")
        }
        versions = versions.filter { $0.key <= version }
        versions[version] = [process.contents]
        acknowledged = version
    }

    private mutating func check(_ process: StoreProcess) {
        let version = process.engine.latest.version
        let shown = process.publishedVersions
        if shown != shown.sorted() { note("versions went back: \(shown)") }
        let contents = process.contents
        if process.engine.failure == nil, versions[version]?.contains(contents) != true {
            note("version \(version) holds something else")
        }
    }

    private mutating func requireSound(_ index: Int) {
        guard let process = processes[index] else { return }
        do {
            let found = try process.problems()
            if !found.isEmpty { note("\(found)") }
        } catch {
            note("\(error)")
        }
    }

    /// Checks the store as it would be after a power failure at this moment.
    private mutating func checkImage() {
        let policy = CrashPolicy.allCases.randomElement(using: &random) ?? .random
        let image = disk.crashImage(seed: random.next(), policy)
        do {
            let process = try StoreProcess(image)
            let version = process.engine.latest.version
            if !isRelaxed, version < acknowledged {
                note("the power failed: \(acknowledged) is lost")
            }
            if versionsEver[version]?.contains(process.contents) != true {
                note("the power failed: version \(version) holds something else")
            }
            if chance(1, in: 4) { for found in try process.problems() { note(found) } }
            process.engine.close { _ in }
        } catch {
            note("the power failed: \(error)")
        }
    }

    private mutating func note(_ problem: String) { problems.append("step \(step): \(problem)") }

    private mutating func chance(_ count: Int, in total: Int) -> Bool {
        Int.random(in: 0..<total, using: &random) < count
    }

    /// Calls `body`, in some cases with a failing call of the disk. Nil if it threw, which it must
    /// not without a fault.
    private mutating func withFault<R>(
        _ count: Int, in total: Int, mayFail: Bool = false,
        _ body: (SimulatedDisk) throws -> R
    ) -> R? {
        disk.resetCalls()
        if chance(count, in: total) {
            let callMax = chance(1, in: 2) ? 8 : 40
            let kinds: [SimulatedDisk.Fault.Kind] = [
                .inputOutput, .inputOutput, .noSpace, .failedSync,
            ]
            switch kinds.randomElement(using: &random) {
            case .failedSync:
                let suffixes = [".log", ".pages", "superblock"]
                disk.failNextSync(of: suffixes.randomElement(using: &random) ?? "")
            case let kind?:
                disk.inject(.init(kind, call: Int.random(in: 1...callMax, using: &random)))
            case nil: break
            }
        }
        let result = Result { try body(disk) }
        let hits = disk.faultyCallCount
        disk.resetCalls()
        faultCount += hits
        do {
            return try result.get()
        } catch {
            if hits == 0, !mayFail { note("\(error)") }
            return nil
        }
    }
}
