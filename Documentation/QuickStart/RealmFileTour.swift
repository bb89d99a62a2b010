import Foundation
import RealmActors

/// What a team does whose data lies in a `.realm` file: look at it, import it, compare, read.
/// Without models, so that it takes the file of any app.
struct RealmFileTour {
    let file: URL
    /// The 64 bytes that the file is encrypted with.
    let key: Data?

    /// Makes a realm at the place; returns how many checks failed.
    func run(at place: inout RealmPlace) async throws -> Int {
        var summary = Summary()
        let path = try place.claim()
        let info = try await Realm.realmFileInfo(at: file, key: key)
        show(info)

        heading("Import")
        let bar = ProgressBar("importing")
        let report = try await Realm.importRealmFile(at: file, into: path, key: key) {
            bar.show($0)
        }
        print(report.isComplete ? "All data was imported unchanged." : "\(report)")

        let realm = try await Realm.open(.init(path: path, readOnly: true, usesStoredSchema: true))
        summary.check("every tree", try await realm.verify().isIntact)
        let counts = try Dictionary(
            uniqueKeysWithValues: info.classes.map {
                ($0.name, try realm.dynamicObjects($0.name).count)
            })
        // Embedded objects that nothing has are left out.
        let orphans = report.objectCounts.values.reduce(0, +) - counts.values.reduce(0, +)
        summary.check("every count", orphans == report.droppedOrphans)

        heading("Read")
        for entry in info.classes { try show(entry, realm) }
        try await realm.close()

        heading("Summary")
        summary.show(bytesOnDisk: place.bytesOnDisk, keptAt: place.keptPath)
        return summary.failedChecks
    }

    private func show(_ info: RealmFileInfo) {
        heading(file.lastPathComponent)
        let version = info.schemaVersion.map { "schema version \($0)" } ?? "no schema version"
        print("\(info.size.grouped) bytes, format \(info.format), \(version)")
        if info.isOpen { print("An app has it open.") }
        if info.hasUnfinishedCommit { print("Its last commit was not completed.") }
        for entry in info.classes {
            let kind = entry.isEmbedded ? ", embedded" : ""
            print("  \(entry.name.left(24))\(entry.count.grouped.right(10)) objects\(kind)")
        }
    }

    /// Prints the first objects of a class, with a value per property.
    private func show(_ entry: RealmFileInfo.ClassInfo, _ realm: Realm) throws {
        for object in try realm.dynamicObjects(entry.name).prefix(2) {
            print(entry.name)
            for property in entry.properties.prefix(6) {
                let value = "\(try object[property.name])".replacing("\n", with: " ")
                print("  \(property.name.left(20))\(value.left(60))")
            }
        }
    }
}
