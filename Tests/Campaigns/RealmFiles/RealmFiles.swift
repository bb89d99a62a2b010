import Foundation
import Storage
import StorageHarness

/// Files written by Realm, to be damaged: those of the tests, and those beside the repository, if
/// they exist.
private enum RealmFileTargets {
    static let all = Result {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let own = tests.appendingPathComponent("StorageTests/RealmFiles/Files")
        let shared = tests.appendingPathComponent("../../shared/data/realm-files")
        let names = [
            "small", "unusual", "old-format-11", "old-format-20", "old-format-22", "old-format-23",
            "every-type", "history", "empty-schema",
        ]
        let files = names.compactMap { name in
            [shared, own].lazy
                .compactMap { try? Data(contentsOf: $0.appendingPathComponent(name + ".realm")) }
                .first.map { (name: name, bytes: Array($0)) }
        }
        guard !files.isEmpty else { throw Violation("there are no .realm files in \(own.path)") }
        return files
    }
}

extension Campaign {
    /// Bits, bytes, words and headers of nodes are changed at random, and some files are truncated:
    /// reading ends with the readable contents, or with an error. One in eight is imported as well,
    /// and the result is a valid store, or none.
    static let realmFiles = Campaign(
        id: "C24", title: "files of Realm, damaged", unit: "damaged files",
        shortCount: { 2_000 }
    ) { seed, _ in
        let files = try RealmFileTargets.all.get()
        let file = files[Int(seed % UInt64(files.count))]
        var random = SeededGenerator(seed: seed)
        let bytes = RealmFileMutation.damaged(file.bytes, &random)
        do {
            try check(bytes)
            if seed % 8 == 0 {
                for isSalvage in [false, true] { try convert(bytes, isSalvage: isSalvage) }
            }
        } catch {
            throw Violation("\(file.name): \(error)")
        }
        return 1
    }

    private static func check(_ bytes: [UInt8]) throws {
        var strict = RealmFileReading()
        var isIntact = true
        do {
            _ = try strict.read(try RealmFileReading.open(bytes))
        } catch is RealmFileError {
            isIntact = false
        }
        var salvage = RealmFileReading()
        do {
            _ = try salvage.read(try RealmFileReading.open(bytes, salvage: true))
        } catch let error as RealmFileError {
            if isIntact { throw error }
            return
        }
        guard salvage.values >= strict.values, salvage.report.isIntact || !isIntact else {
            throw Violation("a salvage reads less than what can be read without it")
        }
    }

    private static func convert(_ bytes: [UInt8], isSalvage: Bool) throws {
        do {
            let file = try RealmFileReading.open(bytes, salvage: isSalvage)
            let files = MemoryFileSystem()
            _ = try RealmFileConversion(
                file, to: files, key: nil, isSalvage: isSalvage, memoryBudget: 64 << 20,
                monitor: ReadingMonitor()
            ).fill("converted", try StoreSchema(of: file), time: 0)
            var opening = StoreOpening(fileSystem: files, directory: "converted")
            opening.options.preparesInBackground = false
            let opened = try opening.open(account: NodeAccount()) { $0 }
            let problems = try TransactionEngine(opened).verify(ReadingMonitor()).problems
            try opened.log.close()
            if let problem = problems.first { throw Violation("imported: \(problem)") }
        } catch is RealmFileError {
        } catch StorageError.invalid {
            // A schema that exceeds the limits of a store.
        }
    }
}
