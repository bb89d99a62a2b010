import ArgumentParser
import Foundation
import RealmActors

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore a store from a backup.",
        discussion: """
            The backup is verified first. An existing store is not changed unless --replace is \
            given. No process may have it open: end all of them first. On Linux, processes of the \
            same user and container that have its files open are detected, and for root all \
            processes; otherwise only a process that holds the writer lease is detected.

            A run that fails leaves the existing store unchanged. The next run cleans up after one \
            that was killed, or reports what it has left.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The folder of the restored store.", completion: .directory)
    var destination: String

    @Flag(help: "Replace the existing store once the backup is copied.") var replace = false

    @Flag(name: .shortAndLong, help: "Skip the confirmation.") var yes = false

    @Option(help: "The format of the report.") var format = ReportFormat.text

    func validate() throws {
        if destination.isEmpty {
            throw ValidationError("The path of the destination is empty.")
        }
    }

    /// The path without a trailing slash, which would put the copy into the folder that it
    /// replaces, and with symbolic links resolved, because their target may be on another disk.
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
                .badInput, "The backup at '\(source)' would be deleted. Move it to another folder.")
        }
        if exists {
            guard replace else {
                throw ToolError(
                    .badInput, "There is a store at '\(place.path)'. Give --replace to replace it.")
            }
            try place.requireFree()
            try Terminal.confirm("Delete the store at \(place.path)?", isAnswered: yes)
        } else if FileManager.default.fileExists(atPath: place.path) {
            throw ToolError(
                .badInput, "'\(place.path)' is not a store. Move it to another place.")
        }
        let version = try await copy(to: exists ? place.copy : place.path, isAside: exists)
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
    ///
    /// - Parameter isAside: whether it is another path than the destination, at which a program may
    ///   make a store meanwhile.
    private func copy(to path: String, isAside: Bool) async throws -> Realm.Version {
        let progress = ProgressLine("restoring")
        let version = try await options.withRealm { realm in
            let report = try await realm.verify()
            guard report.isIntact else {
                throw ToolError(
                    .damaged, "The backup has \(report.problemCount) problems: `verify` lists them."
                )
            }
            // What a run has left that was cut off.
            if isAside { try Realm.deleteFiles(at: path) }
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
    /// Longer names leave no room for a suffix here, and for one that the library appends while it
    /// copies: a name has up to 255 bytes.
    private static let nameMax = 219
    /// How many bytes are kept of such a name, so that it can be recognized.
    private static let stemMax = 160

    let path: String
    /// The new store, until it is whole.
    let copy: String
    /// The store that is replaced, until it is deleted.
    let aside: String

    init(_ path: String) {
        self.path = path
        copy = Self.sibling(of: path, ".restoring")
        aside = Self.sibling(of: path, ".replaced")
    }

    /// `path` with `suffix`. A name that is too long is shortened, and has its hash appended, so
    /// that different names remain different.
    private static func sibling(of path: String, _ suffix: String) -> String {
        let name = Array(path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }.reversed())
        if name.count <= nameMax { return path + suffix }
        // FNV-1a: the next run has to find the name again.
        let hash = name.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let folder = String(decoding: path.utf8.dropLast(name.count), as: UTF8.self)
        let stem = String(decoding: name.prefix(stemMax), as: UTF8.self)
        return "\(folder)\(stem)-\(String(hash, radix: 16))\(suffix)"
    }

    /// Ends a replacement that was cut off before the new store had its place: the old one has it.
    func putBack() throws {
        let isThere = FileManager.default.fileExists(atPath: path)
        guard !isThere, Realm.exists(at: aside) else { return }
        try move(aside, to: path)
        Terminal.note("The store at '\(path)' was renamed back after an interrupted restore.")
    }

    /// Refuses what cannot be replaced now.
    func requireFree() throws {
        if FileManager.default.fileExists(atPath: aside) {
            throw ToolError(
                .badInput,
                "Another restore has left '\(aside)', which has the store or other files that "
                    + "were at '\(path)'. Move it to another place.")
        }
        try requireUnused()
    }

    /// Refuses while another process has files of the store open, where the system lists them.
    private func requireUnused() throws {
        guard let user = StoreProcess.all(of: path)?.first(where: { !$0.isOwn }) else { return }
        throw ToolError(
            .busy,
            "Process \(user.process) (\(user.program)) has files of the store at '\(path)' open. "
                + "End it first.")
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
            Terminal.note("Other files that were at '\(path)' are at '\(aside)' now.")
        }
    }

    private func swap() throws {
        try exchangeNames()
        syncNames()
        do {
            try Realm.deleteFiles(at: aside)
        } catch {
            // What is left of a deletion that failed on its way is no store.
            guard Realm.exists(at: aside) else { return }
            // A program has it open.
            if exchange(path, aside) {
                try move(aside, to: copy)
            } else {
                try move(path, to: copy)
                try move(aside, to: path)
            }
            throw error
        }
    }

    /// Gives the new store the place of the old one, which is aside then. Where the system can
    /// exchange names, there is a store in the place at any time.
    private func exchangeNames() throws {
        if exchange(path, copy) {
            do {
                try move(copy, to: aside)
            } catch {
                // Where that fails too, the old one is deleted under the name of the copy.
                if exchange(path, copy) { throw error }
            }
            return
        }
        try move(path, to: aside)
        do {
            try move(copy, to: path)
        } catch {
            try move(aside, to: path)
            throw error
        }
    }

    /// Exchanges the names of two folders in one step; false where that is not possible.
    private func exchange(_ one: String, _ other: String) -> Bool {
        #if canImport(Darwin)
            return renamex_np(one, other, UInt32(RENAME_SWAP)) == 0
        #else
            // Unsafe: this is the signature in its manual page.
            typealias Rename =
                @convention(c) (
                    CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
                ) -> CInt
            // Looked up, because not every C library has it.
            guard let symbol = dlsym(nil, "renameat2") else { return false }
            // Unsafe: as above.
            let rename = unsafeBitCast(symbol, to: Rename.self)
            // RENAME_EXCHANGE, which is not imported.
            let exchanges: CUnsignedInt = 2
            return rename(AT_FDCWD, one, AT_FDCWD, other, exchanges) == 0
        #endif
    }

    /// Ensures that the new names are on the disk before the old store is deleted.
    private func syncNames() {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let folder = open(parent, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private func move(_ old: String, to new: String) throws {
        guard rename(old, new) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw ToolError(.disk, "'\(old)' cannot be renamed to '\(new)': \(reason).")
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
