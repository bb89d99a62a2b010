import Foundation
import Storage

/// A PostgreSQL of a test's own, in a temporary folder and on a socket there.
package final class PostgresServer: Sendable {
    /// Where the programs of a server are; nil when there is none on this machine.
    package static let programs: String? = {
        let places =
            ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"].flatMap { place in
                let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
                return names.sorted { $0.localizedStandardCompare($1) == .orderedDescending }
                    .map { "\(place)/\($0)/bin" }
            } + ["/usr/local/bin", "/usr/bin"]
        return places.first {
            FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
                && FileManager.default.isExecutableFile(atPath: $0 + "/postgres")
        }
    }()

    package static let isInstalled = programs != nil

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let folder: String
    private var data: String { folder + "/data" }

    /// Gives `body` a server that runs, and stops it.
    @discardableResult
    package static func run<R>(
        settings: [String: String] = [:], _ body: (PostgresServer) throws -> R
    ) throws -> R {
        let server = try PostgresServer(settings)
        defer { server.remove() }
        try server.start()
        return try body(server)
    }

    /// As ``run(settings:_:)``, for a body that awaits.
    package static func run<R: Sendable>(
        settings: [String: String] = [:], _ body: (PostgresServer) async throws -> R
    ) async throws -> R {
        let server = try PostgresServer(settings)
        defer { server.remove() }
        try server.start()
        return try await body(server)
    }

    private init(_ settings: [String: String]) throws {
        // Short: the path of a socket has about 100 bytes.
        folder = "/tmp/pg" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if Self.isRoot { try Self.execute(["/bin/chown", "postgres", folder]) }
        try run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"])
        let all = settings.merging([
            "listen_addresses": "", "unix_socket_directories": folder, "logging_collector": "off",
        ]) { one, _ in one }
        let lines = all.map { "\($0.key) = '\($0.value)'" }.joined(separator: "\n")
        let path = data + "/postgresql.auto.conf"
        let file = FileHandle(forWritingAtPath: path)
        try file?.seekToEnd()
        try file?.write(contentsOf: Data("\(lines)\n".utf8))
        try file?.close()
    }

    /// How libpq reaches it.
    package var address: String { "host=\(folder) dbname=postgres user=postgres" }

    package func start() throws {
        // After a kill, the processes of its connections may need a moment to end.
        var rest = 50
        while true {
            do {
                let log = folder + "/log"
                try run("pg_ctl", ["-D", data, "-w", "-s", "-l", log, "start"])
                return
            } catch  where rest > 0 {
                rest -= 1
                Platform.pause(for: .milliseconds(100))
            }
        }
    }

    package func stop() throws {
        try run("pg_ctl", ["-D", data, "-w", "-s", "-m", "fast", "stop"])
    }

    /// Ends it at once, as a crash of its machine's power does as far as it can tell.
    package func kill() throws {
        Foundation.kill(try process(), SIGKILL)
    }

    /// Stops all of its processes until ``thaw()``.
    package func freeze() throws { try signalAll(SIGSTOP) }

    package func thaw() throws { try signalAll(SIGCONT) }

    /// The first process of the server.
    private func process() throws -> Int32 {
        let text = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        guard let line = text.split(separator: "\n").first, let process = Int32(line), process > 1
        else { throw Failure(description: "There is no process of the server.") }
        return process
    }

    private func signalAll(_ signal: Int32) throws {
        let first = try process()
        let children = try Self.execute(["/usr/bin/pgrep", "-P", "\(first)"])
        for process in [first] + children.split(separator: "\n").compactMap({ Int32($0) }) {
            Foundation.kill(process, signal)
        }
    }

    /// Runs statements as another client does.
    @discardableResult
    package func psql(_ statements: String) throws -> String {
        try run(
            "psql",
            ["-h", folder, "-U", "postgres", "-d", "postgres", "-XAtq", "-c", statements])
    }

    private func remove() {
        _ = try? run("pg_ctl", ["-D", data, "-w", "-s", "-m", "immediate", "stop"])
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let isRoot = getuid() == 0

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        guard let programs = Self.programs else { throw Failure(description: "not installed") }
        let command = ["\(programs)/\(program)"] + arguments
        // A server refuses to run as root.
        return try Self.execute(
            Self.isRoot ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command)
    }

    /// Runs a program to its end. Foundation's processes end when the last of those does that they
    /// have started, and a server goes on.
    @discardableResult
    private static func execute(_ command: [String]) throws -> String {
        let path = "/tmp/pgoutput" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let status = try spawn(command, output: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard status == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")): \(text)")
        }
        return text
    }

    /// How the program has ended: zero if well.
    private static func spawn(_ command: [String], output path: String) throws -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // Unsafe: copies that are freed when the program has its own.
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }
        let arguments = copies(command)
        let environment = copies(["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"])
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        guard posix_spawn(&process, command[0], &actions, nil, arguments, environment) == 0 else {
            throw Failure(description: "\(command[0]) cannot be run.")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { throw Failure(description: "\(command[0]) is lost.") }
        }
        return status
    }
}
