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

    /// Has its socket.
    package let folder: String
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
        if Self.isRoot { try Program.run(["/bin/chown", "postgres", folder]) }
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
        else { throw Program.Failure(description: "The server has no process.") }
        return process
    }

    private func signalAll(_ signal: Int32) throws {
        let first = try process()
        let children = try Program.run(["/usr/bin/pgrep", "-P", "\(first)"])
        for process in [first] + children.split(separator: "\n").compactMap({ Int32($0) }) {
            Foundation.kill(process, signal)
        }
    }

    /// Starts a standby named `archive` that only stores the log, and waits until it stores if the
    /// server waits for it. It ends with the server.
    package func startArchive() throws {
        let archive = folder + "/archive"
        let make = try Self.command("pg_receivewal", ["-D", archive, "--synchronous", "--no-loop"])
        let connection = address + " application_name=archive"
        let script = "mkdir -m 777 \(archive); \"$@\" >\(archive).log 2>&1 &"
        try Program.run(["/bin/sh", "-c", script, "sh"] + make + ["-d", connection])
        // Its first file takes a while, in which calls would be late.
        try psql(
            """
            SET statement_timeout = '60s';
            SELECT pg_logical_emit_message(true, 'archive', 'starts');
            """)
    }

    /// Runs statements as another client does.
    @discardableResult
    package func psql(_ statements: String) throws -> String {
        try run(
            "psql",
            ["-h", folder, "-U", "postgres", "-d", "postgres", "-XAtq", "-c", statements])
    }

    /// Changes a setting, and waits until new connections have it.
    package func set(_ name: String, to value: String) throws {
        try psql("ALTER SYSTEM SET \(name) = '\(value)'")
        try psql("SELECT pg_reload_conf()")
        while try psql("SHOW \(name)") != value + "\n" { Platform.pause(for: .milliseconds(10)) }
    }

    private func remove() {
        // A test may have failed while the server was frozen.
        try? thaw()
        _ = try? run("pg_ctl", ["-D", data, "-w", "-s", "-m", "immediate", "stop"])
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let isRoot = getuid() == 0

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) throws -> String {
        try Program.run(Self.command(program, arguments))
    }

    /// How a program of a server is run, which refuses to run as root.
    package static func command(_ program: String, _ arguments: [String]) throws -> [String] {
        guard let programs else { throw Program.Failure(description: "not installed") }
        let command = ["\(programs)/\(program)"] + arguments
        return isRoot ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
    }
}
