import ArgumentParser
import Foundation
import RealmActors

/// Which store a command is about, and its key.
struct StoreOptions: ParsableArguments {
    @Argument(help: "The folder of the store.", completion: .directory)
    var store: String

    @OptionGroup var key: KeyOptions

    /// Runs a command on the store, which is opened as its files have it, and closed afterwards.
    func withRealm<R>(
        writing: Bool = false, history: Realm.Configuration.History = .untilCompacted,
        _ body: (Realm) async throws -> R
    ) async throws -> R {
        if let session = ShellSession.current { return try await body(session.realm(writing)) }
        return try await withRealm(
            writing: writing, key: try key.load(), history: history, body)
    }

    /// Lets `confirm` show what would change and request confirmation, and changes it afterwards.
    /// Until the answer the store is open for reading only, so that other programs can write.
    func withConfirmation<Question, R>(
        _ confirm: (Realm) async throws -> Question,
        then change: (Realm, Question) async throws -> R
    ) async throws -> R {
        if let session = ShellSession.current {
            let realm = try session.realm(true)
            return try await change(realm, try await confirm(realm))
        }
        // Loaded once: on standard input, the answer to the question follows the key.
        let key = try key.load()
        let question = try await withRealm(writing: false, key: key, confirm)
        return try await withRealm(writing: true, key: key) { try await change($0, question) }
    }

    private func withRealm<R>(
        writing: Bool, key: EncryptionKey?,
        history: Realm.Configuration.History = .untilCompacted,
        _ body: (Realm) async throws -> R
    ) async throws -> R {
        let realm = try await open(writing: writing, key: key, history: history)
        do {
            let result = try await body(realm)
            try await realm.close()
            return result
        } catch {
            try? await realm.close()
            throw error
        }
    }
}

extension StoreOptions {
    /// Opens the store, without models.
    func open(
        writing: Bool, key: EncryptionKey?, history: Realm.Configuration.History = .untilCompacted
    ) async throws -> Realm {
        try requireFolder()
        do {
            return try await Realm.open(
                Realm.Configuration(
                    path: store, readOnly: !writing, encryptionKey: key, history: history,
                    usesStoredSchema: true))
        } catch RealmError.fileNotFound {
            throw ToolError(.notFound, "There is no store at '\(store)'.")
        }
    }

    /// Refuses a path that is empty, and a file, such as one that Realm wrote.
    func requireFolder() throws {
        if store.isEmpty { throw ToolError(.notFound, "The path of the store is empty.") }
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: store, isDirectory: &isFolder)
        guard isThere, !isFolder.boolValue else { return }
        throw ToolError(
            .damaged,
            "'\(store)' is a file, and a store is a folder. Import a .realm file into a new store "
                + "with `realmactors import STORE FILE`.")
    }
}

/// Where the key of a store comes from: never from an argument, which other users of the machine
/// can see.
struct KeyOptions: ParsableArguments {
    @Option(help: "A file with the key: 64 bytes, or 128 hexadecimal digits.", completion: .file())
    var keyFile: String?

    @Option(help: "The name of an environment variable with the key in hexadecimal digits.")
    var keyEnv: String?

    @Flag(help: "Read the key in hexadecimal digits from the first line of standard input.")
    var keyStdin = false

    func validate() throws {
        let given = [keyFile != nil, keyEnv != nil, keyStdin].filter { $0 }.count
        if given > 1 { throw ValidationError("Give one of --key-file, --key-env, --key-stdin.") }
    }

    /// The key that is given; nil without any.
    func load() throws -> EncryptionKey? {
        // Not the one that the shell was started with, which `rekey` may have changed.
        if let session = ShellSession.current { return session.realm.configuration.encryptionKey }
        if let keyFile { return try KeySource.file(keyFile).key() }
        if let keyEnv { return try KeySource.environment(keyEnv).key() }
        return keyStdin ? try KeySource.standardInput.key() : nil
    }
}
