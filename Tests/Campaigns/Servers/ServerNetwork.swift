#if os(Linux) && PostgreSQL
    import Foundation
    import Glibc
    import StorageHarness

    /// The machines of a campaign: each is a network namespace with its own wall clock, and has an
    /// address on a common bridge.
    ///
    /// They know each other's hardware addresses from the start. What one of them sends to another
    /// is silently lost while it has a wrong address.
    final class ServerNetwork {
        /// The files of the machines, each in a folder of its own.
        let folder: String
        private let prefix: String
        private let machines: Range<Int>
        /// Nil if their clocks cannot be set.
        let clocks: MachineClocks?
        /// The pairs of sender and receiver whose packets are lost.
        private var isDropped: Set<[Int]> = []
        /// The process that removes everything when this process ends in any way.
        private let keeper: Int32
        /// The keeper waits while this is open.
        private let leash: Int32

        /// Nil if this user may not create machines, or lacks the programs for that.
        init?(_ name: String, machines count: Int, folder: String) throws {
            self.folder = folder
            prefix = "\(name)-\(getpid())"
            machines = 1..<count + 1
            clocks =
                try MachineClocks.isPossible
                ? MachineClocks(in: folder, machines: machines) : nil
            let names = (machines.map { "\($0)" } + ["net"]).map { [prefix] in "\(prefix)-\($0)" }
            (keeper, leash) = try Self.startKeeper(names, folder)
            do {
                try Self.shell("ip netns add \(prefix)-net")
            } catch {
                try remove()
                return nil
            }
            do {
                try make()
            } catch {
                try remove()
                throw error
            }
        }

        private func make() throws {
            try Self.shell(
                """
                ip -n \(prefix)-net link add br0 type bridge
                ip -n \(prefix)-net link set br0 up
                """)
            for machine in machines { try make(machine) }
        }

        private func make(_ machine: Int) throws {
            let (bridge, name) = ("ip -n \(prefix)-net", "\(prefix)-\(machine)")
            try Self.shell(
                """
                ip netns add \(name)
                \(bridge) link add v\(machine) type veth peer name eth0 netns \(name)
                \(bridge) link set v\(machine) master br0 up
                ip -n \(name) link set lo up
                ip -n \(name) link set eth0 address \(hardware(machine)) up
                ip -n \(name) addr add \(address(of: machine))/24 dev eth0
                """)
            for other in machines where other != machine { try point(machine, other) }
        }

        /// Sets the hardware address that a machine has for another one.
        private func point(_ machine: Int, _ other: Int) throws {
            let place = isDropped.contains([machine, other]) ? 255 : other
            try Self.shell(
                "ip -n \(prefix)-\(machine) neigh replace \(address(of: other))"
                    + " lladdr \(hardware(place)) dev eth0 nud permanent")
        }

        private func hardware(_ machine: Int) -> String {
            "02:00:00:00:00:" + String(machine + 256, radix: 16).suffix(2)
        }

        func address(of machine: Int) -> String { "10.77.0.\(machine)" }

        /// The command that runs another one on a machine.
        func command(on machine: Int, _ command: [String]) throws -> [String] {
            let ip = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
            guard let ip else { throw Program.Failure(description: "There is no ip.") }
            let command = clocks?.command(on: machine, command) ?? command
            return [ip, "netns", "exec", "\(prefix)-\(machine)"] + command
        }

        /// Sends a signal to all processes on a machine.
        func signal(_ machine: Int, _ signal: Int32) throws {
            let found = try Self.shell("ip netns pids \(prefix)-\(machine)")
            for process in found.split(separator: "\n").compactMap({ Int32($0) }) {
                kill(process, signal)
            }
        }

        // MARK: Faults

        /// Drops what one machine sends to another.
        func drop(from machine: Int, to other: Int) throws {
            isDropped.insert([machine, other])
            try point(machine, other)
        }

        func cut(_ machine: Int, from others: some Sequence<Int>) throws {
            for other in others where other != machine {
                try drop(from: machine, to: other)
                try drop(from: other, to: machine)
            }
        }

        /// Disconnects a machine from all others, or all but one.
        func isolate(_ machine: Int, with other: Int? = nil) throws {
            try cut(machine, from: machines.filter { $0 != other })
        }

        /// Whether no packets are dropped.
        var isWhole: Bool { isDropped.isEmpty }

        /// Drops nothing from now on.
        func heal() throws {
            for pair in isDropped {
                isDropped.remove(pair)
                try point(pair[0], pair[1])
            }
        }

        // MARK: Removal

        /// Ends all processes, and removes the machines and the folder.
        func remove() throws {
            close(leash)
            _ = try Program.wait(for: keeper)
        }

        /// Processes of killed servers leave a shared memory segment, whose name is in one of their
        /// files.
        private static func startKeeper(
            _ names: [String], _ folder: String
        ) throws -> (Int32, Int32) {
            let script = """
                trap '' INT TERM HUP
                cat
                for name in \(names.joined(separator: " ")); do
                    for attempt in 1 2 3; do
                        ip netns pids $name | xargs -r kill -9
                    done
                    ip netns del $name
                done
                for file in \(folder)/*/data/postmaster.pid; do
                    ipcrm -m "$(sed -n '7s/.* //p' "$file")"
                done
                rm -rf \(folder)
                """
            var ends: [Int32] = [0, 0]
            // A pipe whose ends are never inherited by other programs.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
                throw Violation("there is no pair of sockets")
            }
            defer { close(ends[0]) }
            let command = ["/bin/sh", "-c", script]
            let keeper = try Program.start(command, input: ends[0], output: "/dev/null")
            return (keeper, ends[1])
        }

        @discardableResult
        private static func shell(_ script: String) throws -> String {
            try Program.run(["/bin/sh", "-ec", script])
        }
    }
#endif
