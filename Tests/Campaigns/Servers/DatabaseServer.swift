#if os(Linux) && PostgreSQL
    import Foundation
    import Glibc
    import Storage
    import StorageHarness

    /// A PostgreSQL server on a separate machine of a campaign, and its role: the primary, or a
    /// standby.
    final class DatabaseServer {
        let machine: Int
        private let network: ServerNetwork
        private let folder: String
        private let settings: String
        /// The addresses of all servers of the cluster.
        private let hosts: String

        private var data: String { folder + "/data" }
        private var log: String { folder + "/log" }

        /// `machines` are those of the whole cluster.
        init(
            _ machine: Int, of machines: Range<Int>, on network: ServerNetwork, waits: Bool
        ) throws {
            self.machine = machine
            self.network = network
            folder = "\(network.folder)/\(machine)"
            hosts = machines.map { network.address(of: $0) }.joined(separator: ",")
            let names = machines.map { "db\($0)" }.joined(separator: ", ")
            settings = """
                listen_addresses = '*'
                unix_socket_directories = '\(folder)'
                dynamic_shared_memory_type = mmap
                shared_buffers = 16MB
                tcp_user_timeout = 5000
                wal_keep_size = 1GB
                wal_sender_timeout = 3s
                wal_receiver_timeout = 3s
                wal_receiver_status_interval = 1s
                wal_retrieve_retry_interval = 200ms
                synchronous_standby_names = '\(waits ? "ANY 1 (\(names))" : "")'

                """
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Program.run(["/bin/chown", "postgres", folder])
        }

        // MARK: Data

        /// Creates a database.
        func create() throws {
            try run(
                "initdb",
                ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
                    + ["--wal-segsize", "1"])
            let access = "local all all trust\nhost all,replication all 10.77.0.0/24 trust\n"
            try Self.write(access, to: data + "/pg_hba.conf")
            try configure()
        }

        /// Becomes a standby with the data of another server, on which nothing was started yet.
        func copy(_ other: DatabaseServer) throws {
            try Program.run(["/bin/cp", "-a", other.data, data])
            try becomeStandby()
        }

        /// Discards its data, and becomes a standby of a running server.
        func rebuild(from primary: DatabaseServer) throws {
            try kill()
            // The shared memory segment that a killed server leaves.
            _ = try? Program.run([
                "/bin/sh", "-c", "ipcrm -m $(sed -n '7s/.* //p' \(data)/postmaster.pid)",
            ])
            try FileManager.default.removeItem(atPath: data)
            try run(
                "pg_basebackup",
                ["-h", network.address(of: primary.machine), "-U", "postgres", "-D", data]
                    + ["-c", "fast", "--no-sync"])
            try becomeStandby()
            try start()
        }

        private func becomeStandby() throws {
            try Self.write("", to: data + "/standby.signal")
            try configure()
        }

        private func configure() throws { try configure(following: hosts) }

        private func configure(following hosts: String?) throws {
            // A connecting standby has no timeout except that of the network.
            let connection = hosts.map { hosts in
                """
                primary_conninfo = 'host=\(hosts) user=postgres application_name=db\(machine) \
                target_session_attrs=read-write tcp_user_timeout=3000 \
                keepalives_idle=1 keepalives_interval=1 keepalives_count=3'

                """
            }
            try Self.write(settings + (connection ?? ""), to: data + "/postgresql.auto.conf")
        }

        private static func write(_ text: String, to path: String) throws {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            try Program.run(["/bin/chown", "postgres", path])
        }

        // MARK: Processes

        /// Starts it, unless it is running.
        func start() throws {
            var rest = 100
            while true {
                do {
                    // After a kill, the processes of its connections may need a moment to end.
                    try run("pg_ctl", ["-D", data, "-w", "-t", "30", "-s", "-l", log, "start"])
                    return
                } catch {
                    rest -= 1
                    if isRunning { return }
                    if rest == 0 { throw error }
                    Platform.pause(for: .milliseconds(100))
                }
            }
        }

        private var isRunning: Bool { (try? psql("SELECT 1")) != nil }

        /// Kills all of its processes at once.
        func kill() throws { try network.signal(machine, SIGKILL) }

        /// Kills its main process; the others detect that.
        func killFirst() throws {
            let text = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
            guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
                throw Program.Failure(description: "The server has no process.")
            }
            Glibc.kill(process, SIGKILL)
        }

        /// Stops all of its processes until ``thaw()``.
        func freeze() throws {
            // Twice, for processes that are being created.
            for _ in 0..<2 { try network.signal(machine, SIGSTOP) }
        }

        func thaw() throws { try network.signal(machine, SIGCONT) }

        // MARK: State

        func psql(_ statement: String) throws -> String {
            let options = ["-h", folder, "-U", "postgres", "-d", "postgres", "-XAtq"]
            return try run("psql", options + ["-c", statement])
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Disconnects a standby from the primary. Returns the end of its log, when it receives and
        /// applies no more: the end may be a part of a record.
        func unfollow() throws -> Int {
            try configure(following: nil)
            _ = try psql("SELECT pg_reload_conf()")
            let statement = """
                SELECT pg_wal_lsn_diff(
                    greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')::bigint,
                pg_last_wal_replay_lsn()
                WHERE NOT EXISTS (SELECT FROM pg_stat_wal_receiver)
                """
            var (last, times) = ("", 0)
            return try Patience.wait("a standby to apply what it has") {
                let next = try psql(statement)
                times = next == last ? times + 1 : 0
                last = next
                Platform.pause(for: .milliseconds(50))
                return times < 5 ? nil : next.split(separator: "|").first.flatMap { Int($0) }
            }
        }

        /// Reconnects it to the primary, if it is a standby.
        func follow(_ primary: DatabaseServer) throws {
            try configure(following: network.address(of: primary.machine))
            _ = try psql("SELECT pg_reload_conf()")
        }

        @discardableResult
        private func run(_ program: String, _ arguments: [String]) throws -> String {
            let command = try PostgresServer.command(program, arguments)
            return try Program.run(network.command(on: machine, command))
        }
    }
#endif
