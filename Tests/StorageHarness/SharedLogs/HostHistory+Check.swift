import Storage

/// The checker, whole: what is promised of a realm that several hosts write, and nothing about how
/// that is done.
extension HostHistory {
    /// - Throws: ``Violation`` for the first promise that was not kept.
    package func check() throws {
        try checkOrder()
        try checkOutcomes()
        try checkTime()
        try checkSights()
    }

    /// There is one order: versions ascend, no commit is there twice, and each body saw exactly
    /// what the commit before it had made.
    private func checkOrder() throws {
        var before = base
        var numbers: Set<Int64> = []
        for entry in log {
            guard entry.version > before.version else {
                throw Violation("version \(entry.version) stands behind \(before.version)")
            }
            guard entry.seen == before.hash else {
                throw Violation("commit \(entry.number) did not see version \(before.version)")
            }
            guard numbers.insert(entry.number).inserted else {
                throw Violation("commit \(entry.number) is there twice")
            }
            before = (entry.version, entry.hash)
        }
    }

    /// What was acknowledged is there as that version, what was refused is not, and nothing is
    /// there that nobody asked for.
    private func checkOutcomes() throws {
        let outcomes = Dictionary(uniqueKeysWithValues: commits.map { ($0.number, $0.outcome) })
        let versions = Dictionary(uniqueKeysWithValues: log.map { ($0.number, $0.version) })
        for (number, outcome) in outcomes {
            let found = versions[number]
            switch outcome {
            case .acknowledged(let version) where found != version:
                throw Violation("commit \(number), acknowledged as \(version), is \(found as Any)")
            case .refused where found != nil:
                throw Violation("commit \(number) was refused, and is there")
            case .acknowledged, .refused, .unknown: break
            }
        }
        for number in versions.keys where outcomes[number] == nil {
            throw Violation("commit \(number) is there, and nobody asked for it")
        }
    }

    /// What was done before something began comes before it: for commits, and for a host that was
    /// asked to show everything.
    private func checkTime() throws {
        let versions = Dictionary(uniqueKeysWithValues: log.map { ($0.number, $0.version) })
        func newest(before moment: Int) -> Version {
            var newest = Version.zero
            for commit in commits where commit.ended < moment {
                if case .acknowledged(let version) = commit.outcome {
                    newest = max(newest, version)
                }
            }
            return newest
        }
        for commit in commits {
            guard let version = versions[commit.number] else { continue }
            let known = newest(before: commit.begun)
            guard version > known else {
                throw Violation("commit \(commit.number), \(version), began behind \(known)")
            }
        }
        for refresh in refreshes where refresh.version < newest(before: refresh.begun) {
            throw Violation("a refresh showed \(refresh.version), and missed what was done before")
        }
    }

    /// Every snapshot and every element of a stream is a version of the log, with what belongs to
    /// that; none goes back, and no element comes twice.
    private func checkSights() throws {
        struct Watcher: Hashable {
            let kind: Sight.Kind
            let host: Int
            let opening: Int
        }
        let entries = log.map { ($0.version, $0.hash) } + [(base.version, base.hash)]
        let hashes = Dictionary(uniqueKeysWithValues: entries)
        var last: [Watcher: Version] = [:]
        for sight in sights {
            let place = "the \(sight.kind) \(sight.version) of host \(sight.host)"
            guard let hash = hashes[sight.version] else {
                throw Violation("\(place) is of no version of the log")
            }
            guard sight.hash == hash else { throw Violation("\(place) has other rows") }
            let watcher = Watcher(kind: sight.kind, host: sight.host, opening: sight.opening)
            if let before = last.updateValue(sight.version, forKey: watcher) {
                let isBehind =
                    sight.kind == .element ? sight.version <= before : sight.version < before
                if isBehind { throw Violation("\(place) came behind \(before)") }
            }
        }
    }
}
