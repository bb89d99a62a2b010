import Storage
import StorageHarness

/// A store of a few dozen kilobytes to be damaged, and its contents.
private struct DamageTarget: Sendable {
    let disk: SimulatedDisk
    let oracle: Oracle
    /// The offset of each file in the concatenation of all, and the total length.
    let starts: [Int]
    let files: [(path: String, length: Int)]

    init(isClosed: Bool) async throws {
        let work = SimulatedDisk()
        let store = CrashStore(work, seed: 7)
        try store.open()
        for number in 0..<36 {
            try await store.run(number % 4 == 3 ? .group : .transaction)
            if number == 20 { try await store.run(.checkpoint) }
        }
        if isClosed { try await store.close() } else { await store.abandon() }
        disk = work.crashImage(seed: 0, .everything)
        oracle = store.oracle
        files = disk.files.filter { $0.length > 0 }
        starts = files.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.length) }
    }

    var byteCount: Int { starts.last ?? 0 }

    /// The file that contains a byte of the concatenation, and its offset there.
    func place(of byte: Int) -> (path: String, offset: Int) {
        let file = (starts.firstIndex { $0 > byte } ?? 1) - 1
        return (files[file].path, byte - starts[file])
    }

    /// One that was closed, and one of a process that was killed.
    static let both = Task {
        [try await DamageTarget(isClosed: true), try await DamageTarget(isClosed: false)]
    }
}

/// One kind of damage.
private enum DamageKind: CaseIterable {
    /// A bit of the byte is flipped; the seed selects the bit.
    case flip
    /// The file is truncated before the byte.
    case cut

    func apply(to disk: SimulatedDisk, _ place: (path: String, offset: Int), bit: Int) {
        switch self {
        case .flip: disk.damage(place.path, at: place.offset, mask: 1 << UInt8(bit))
        case .cut: disk.truncate(place.path, to: place.offset)
        }
    }
}

extension Campaign {
    /// Every byte is changed, and every file is truncated to every length: the store is refused, or
    /// its contents are right.
    static let damage = Campaign(
        id: "C5", title: "every byte damaged, every length", unit: "damaged stores",
        seeds: {
            let targets = try await DamageTarget.both.value
            return targets.reduce(0) { $0 + $1.byteCount } * DamageKind.allCases.count * 8
        }, shortCount: { 45_000 }
    ) { seed, options in
        let targets = try await DamageTarget.both.value
        let total = targets.reduce(0) { $0 + $1.byteCount }
        // The first round over all bytes flips one bit of each, the next rounds the other bits.
        let (round, rest) = (Int(seed) / (total * 2), Int(seed) % (total * 2))
        let kind = DamageKind.allCases[rest % 2]
        var byte = rest / 2
        let target = byte < targets[0].byteCount ? targets[0] : targets[1]
        if byte >= targets[0].byteCount { byte -= targets[0].byteCount }
        let place = target.place(of: byte)
        let bit = (byte &* 5 &+ round) % 8
        let disk = target.disk.crashImage(seed: 0, .nothing)
        kind.apply(to: disk, place, bit: bit)
        do {
            let isWhole = try DamageCheck.isWhole(disk, target.oracle)
            // An opening for writing has the same outcome, and the contents stay right.
            if seed % 8 == 0, isWhole {
                try await Recovery.check(disk, target.oracle, seed: seed, isDamaged: true)
            }
        } catch {
            throw Violation("\(kind) of \(place.path) at \(place.offset), bit \(bit): \(error)")
        }
        return 1
    }
}

/// Checks damaged stores.
enum DamageCheck {
    /// Whether all contents are right; false if the store was refused, or reported that it could
    /// not be read completely.
    static func isWhole(_ files: any FileSystem, _ oracle: Oracle) throws -> Bool {
        do {
            return try CrashStore.inspect(files, oracle) == oracle.acknowledged
        } catch let error as StorageError where error.isDamage {
            return false
        }
    }
}
