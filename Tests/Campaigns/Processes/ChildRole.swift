import Foundation
import RealmActors

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The role of this program when it is started by a campaign.
enum ChildRole {
    /// Writes to the store at a path until it is killed.
    case writer(path: String, isPaged: Bool, isSealed: Bool)
    /// Writes until the disk is full, frees space by deleting, and repeats that.
    case filler(path: String, fileSizeMax: Int?)
    /// Writes to a store whose syncs may fail, and reopens it then.
    case survivor(path: String, isPaged: Bool, isSealed: Bool, compacts: Bool)
    /// Writes to a store concurrently with other processes.
    case sharer(path: String, writer: Int, commits: Int)
    /// Follows the commits of other processes until the store has so many rows.
    case follower(path: String, readOnly: Bool, rows: Int)
    /// Opens, writes, closes and removes a store concurrently with other processes that do the
    /// same.
    case heir(path: String, seed: UInt64)
    #if os(Linux) && PostgreSQL
        /// Is a host of a realm on real servers.
        case host(HostRole)
    #endif

    init?(_ arguments: [String]) {
        switch arguments.first {
        case "child-writer" where arguments.count == 4:
            self = .writer(
                path: arguments[1], isPaged: arguments[2] == "paged",
                isSealed: arguments[3] == "sealed")
        case "child-filler" where arguments.count == 3:
            self = .filler(path: arguments[1], fileSizeMax: Int(arguments[2]))
        case "child-survivor" where arguments.count == 5:
            self = .survivor(
                path: arguments[1], isPaged: arguments[2] == "paged",
                isSealed: arguments[3] == "sealed", compacts: arguments[4] == "compacting")
        case "child-sharer" where arguments.count == 4:
            self = .sharer(
                path: arguments[1], writer: Int(arguments[2]) ?? 0,
                commits: Int(arguments[3]) ?? 0)
        case "child-follower" where arguments.count == 4:
            self = .follower(
                path: arguments[1], readOnly: arguments[2] == "reader",
                rows: Int(arguments[3]) ?? 0)
        case "child-heir" where arguments.count == 3:
            self = .heir(path: arguments[1], seed: UInt64(arguments[2]) ?? 0)
        default:
            #if os(Linux) && PostgreSQL
                guard let host = HostRole(arguments) else { return nil }
                self = .host(host)
            #else
                return nil
            #endif
        }
    }

    func run() async {
        do {
            switch self {
            case .writer(let path, let isPaged, let isSealed):
                try await Self.write(
                    Ledger.configuration(path, isPaged: isPaged, isSealed: isSealed))
            case .filler(let path, let limit):
                if let limit { Self.limitFiles(to: limit) }
                try await Self.fill(path)
            case .survivor(let path, let isPaged, let isSealed, let compacts):
                await SurvivorRole(
                    configuration: Ledger.configuration(
                        path, isPaged: isPaged, isSealed: isSealed),
                    compacts: compacts
                ).run()
            case .sharer(let path, let writer, let commits):
                try await SharingRole.write(path, writer, commits)
            case .follower(let path, let readOnly, let rows):
                try await SharingRole.follow(path, readOnly: readOnly, rows)
            case .heir(let path, let seed):
                try await HandoverRole.run(path, seed)
            #if os(Linux) && PostgreSQL
                case .host(let role): try await role.run()
            #endif
            }
        } catch {
            say("problem \(error)")
            exit(1)
        }
    }

    /// Three tasks write, so that each sync covers several transactions.
    private static func write(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    while true { ChildProcess.acknowledge(try await Ledger.write(realm)) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A write beyond the limit fails, instead of ending the process by a signal.
    private static func limitFiles(to size: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }

    private static func fill(_ path: String) async throws {
        let realm: Realm
        do {
            realm = try await Realm.open(Ledger.configuration(path))
        } catch RealmError.outOfSpace {
            say("full while opening")
            return
        }
        var refusals = 0
        for _ in 0..<6_000 {
            do {
                ChildProcess.acknowledge(try await Ledger.write(realm))
            } catch RealmError.outOfSpace {
                refusals += 1
                // Readers continue to see the last stored version.
                if let problem = Ledger.problem(in: realm.snapshot(), acknowledged: 0) {
                    say("problem \(problem)")
                }
                if refusals == 20 { break }
            } catch RealmError.commitOutcomeUnknown, RealmError.durabilityLost {
                say("latched")
                break
            }
        }
        say("refused \(refusals)")
        try? await realm.close()
    }
}
