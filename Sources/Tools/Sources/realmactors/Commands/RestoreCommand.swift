import ArgumentParser
import Foundation
import RealmActors

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a store of a backup.",
        discussion: """
            The backup is verified first. What is at the destination stays as it is unless \
            --replace says to delete it, which no process may have open: on Linux one is noticed \
            that has files of it open, of the same user and container, or any for root; elsewhere, \
            and in what others run, only one that has the writer lease. End all of them first.

            A run that fails leaves what was there before. What one leaves that is killed is put \
            right by the next, or named by it.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "Where the store is to be.", completion: .directory)
    var destination: String

    @Flag(help: "Delete the store that is there, once the backup is copied.") var replace = false

    @Flag(name: .shortAndLong, help: "Replace it without asking.") var yes = false

    @Option(help: "How it is written what was done.") var format = ReportFormat.text

    func validate() throws {
        if destination.isEmpty {
            throw ValidationError("The path of the destination is empty.")
        }
    }

    /// Without a slash at its end, behind which the copy would lie in what it is to replace; and of
    /// a link the folder that it leads to, which may be on another disk.
    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    func run() async throws {
        let place = RestorePlace(Self.resolved(destination))
        let source = Self.resolved(options.store)
        if source != place.aside { try place.putBack() }
        let exists = Realm.exists(at: place.path)
        guard source != place.path, ![place.copy, place.aside].contains(source) || !exists else {
            throw ToolError(
                .badInput, "The backup at \(source) would be deleted: move it to another place.")
        }
        if exists {
            guard replace else {
                throw ToolError(
                    .badInput, "There is a store at \(place.path). Say --replace to delete it.")
            }
            try place.requireFree()
            try Terminal.confirm("Delete the store at \(place.path)?", isAnswered: yes)
        } else if FileManager.default.fileExists(atPath: place.path) {
            throw ToolError(
                .badInput, "What is at \(place.path) is no store. Move it to another place.")
        }
        let version = try await copy(to: exists ? place.copy : place.path)
        if exists { try place.replace() }
        if source != place.copy { place.removeCopies() }
        let report = Report(path: place.path, version: version.rawValue, isReplaced: exists)
        switch format {
        case .json: Terminal.say(try JSONText.text(report, isPretty: true))
        case .text: break
        }
    }

    /// What was done, for scripts.
    private struct Report: Encodable {
        let path: String
        /// That of the backup: the new store has a history of its own.
        let version: UInt64
        /// Whether it has the place of another store, which was deleted.
        let isReplaced: Bool
    }

    /// Copies the backup, once it is verified.
    private func copy(to path: String) async throws -> Realm.Version {
        let progress = ProgressLine("restoring")
        let version = try await options.withRealm { realm in
            let report = try await realm.verify()
            guard report.isIntact else {
                throw ToolError(
                    .damaged, "The backup has \(report.problemCount) problems: `verify` lists them."
                )
            }
            // What a run has left that was cut off.
            try Realm.deleteFiles(at: path)
            try await realm.writeCopy(to: path, encryptionKey: realm.configuration.encryptionKey) {
                progress.show($0)
            }
            return report.version
        }
        progress.end()
        return version
    }
}

/// Where a store is restored to, and the names beside it while another one is replaced.
private struct RestorePlace {
    let path: String

    init(_ path: String) { self.path = path }

    /// The new store, until it is whole.
    var copy: String { path + ".restoring" }
    /// The store that is replaced, until it is deleted.
    var aside: String { path + ".replaced" }

    /// Ends a replacement that was cut off before the new store had its place: the old one has it.
    func putBack() throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        guard !isThere, Realm.exists(at: aside) else { return }
        try move(aside, to: path)
        Terminal.note("The store at \(path) has its place again, which it lost to a restore.")
    }

    /// Refuses what cannot be replaced now.
    func requireFree() throws {
        if FileManager.default.fileExists(atPath: aside) {
            throw ToolError(
                .badInput,
                "Another restore has left \(aside), which has the store or other files that were "
                    + "at \(path). Move it to another place.")
        }
        try requireUnused()
    }

    /// Refuses while another process has files of the store open, where the system lists them.
    private func requireUnused() throws {
        guard let user = StoreProcess.all(of: path)?.first(where: { !$0.isOwn }) else { return }
        throw ToolError(
            .busy,
            "Process \(user.process) (\(user.program)) has files of the store at \(path) open. End "
                + "it first.")
    }

    /// Puts the new store into the place of the one that is there, which is deleted. When that
    /// fails, the old one is where it was, and the new one is deleted.
    func replace() throws {
        do {
            // A process may have opened it while the backup was copied.
            try requireUnused()
            try swap()
        } catch {
            if Realm.exists(at: path) { removeCopies() }
            throw error
        }
        if FileManager.default.fileExists(atPath: aside) {
            Terminal.note("What else was at \(path) is at \(aside) now.")
        }
    }

    private func swap() throws {
        try move(path, to: aside)
        do {
            try move(copy, to: path)
        } catch {
            try move(aside, to: path)
            throw error
        }
        do {
            try Realm.deleteFiles(at: aside)
        } catch {
            // A program has it open.
            try move(path, to: copy)
            try move(aside, to: path)
            throw error
        }
    }

    private func move(_ old: String, to new: String) throws {
        guard rename(old, new) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw ToolError(.disk, "\(old) cannot get the name \(new): \(reason).")
    }

    /// Removes new stores that have no place, also of runs that were cut off; not those which
    /// another process is making.
    func removeCopies() {
        let url = URL(fileURLWithPath: copy)
        let (folder, name) = (url.deletingLastPathComponent().path, url.lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for found in names where found == name || found.hasPrefix(name + ".copying-") {
            _ = try? Realm.deleteFiles(at: folder + "/" + found)
        }
    }
}
