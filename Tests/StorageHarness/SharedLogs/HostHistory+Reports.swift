import Storage

extension HostHistory {
    /// Adds the reports of a host from one opening, which may be incomplete.
    package mutating func add(_ reports: [HostReport], host: Int, opening: Int) {
        var begun: [Int64: Int] = [:]
        func sight(_ kind: Sight.Kind, _ version: Version, _ hash: Int64) -> Sight {
            Sight(kind: kind, host: host, opening: opening, version: version, hash: hash)
        }
        func end(_ number: Int64, _ moment: Int, _ outcome: Commit.Outcome) -> Commit {
            let begun = begun.removeValue(forKey: number) ?? .min
            return Commit(number: number, begun: begun, ended: moment, outcome: outcome)
        }
        for report in reports {
            switch report {
            case .begun(let number, let moment): begun[number] = moment
            case .acknowledged(let number, let moment, let version):
                commits.append(end(number, moment, .acknowledged(version)))
            case .refused(let number, let moment):
                commits.append(end(number, moment, .refused))
            case .unknown(let number, let moment):
                commits.append(end(number, moment, .unknown))
            case .snapshot(let version, let hash), .newest(let version, let hash):
                sights.append(sight(.snapshot, version, hash))
            case .element(let version, let hash):
                sights.append(sight(.element, version, hash))
            case .refresh(let moment, let version):
                refreshes.append(Refresh(begun: moment, version: version))
            case .entry(let version, let number, let seen, let hash):
                // After the commit that only adds the models.
                if log.isEmpty { base.version = Version(version.rawValue - 1) }
                log.append(Entry(version: version, number: number, seen: seen, hash: hash))
            case .diverged, .erred, .problem: break
            }
        }
        // The host was killed meanwhile.
        for (number, moment) in begun {
            commits.append(
                Commit(number: number, begun: moment, ended: .max, outcome: .unknown))
        }
    }
}
