import Foundation

/// Programs that a test runs. Foundation's processes end when the last of those does that they have
/// started, and a server goes on.
package enum Program {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Runs a program to its end, and returns what it has said.
    @discardableResult
    package static func run(_ command: [String]) throws -> String {
        let path = "/tmp/output" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let status = try wait(for: start(command, output: path))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard status == 0 else {
            throw Failure(description: "\(command.joined(separator: " ")): \(text)")
        }
        return text
    }

    /// Starts a program, which reads from a descriptor or nothing, and writes to a file, and its
    /// errors to that or another one.
    package static func start(
        _ command: [String], input: Int32? = nil, output path: String, errors: String? = nil
    ) throws -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 1, path, flags, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Unsafe: copies that are freed when the program has its own.
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            texts.map { strdup($0) } + [nil]
        }
        let arguments = copies(command)
        let environment = copies(environment.map { "\($0.key)=\($0.value)" })
        defer { for text in arguments + environment { free(text) } }
        var process: Int32 = 0
        guard posix_spawn(&process, command[0], &actions, nil, arguments, environment) == 0 else {
            throw Failure(description: "\(command[0]) cannot be run.")
        }
        return process
    }

    /// That of this process, without what the programs of PostgreSQL would listen to.
    private static var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
        let path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
        return own.merging(["PATH": path, "LC_ALL": "C"]) { $1 }
    }

    /// How a program that was started has ended: zero if well.
    package static func wait(for process: Int32) throws -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { throw Failure(description: "\(process) is lost.") }
        }
        return status
    }

    /// How a program has ended; nil while it runs. To be asked until then.
    package static func status(of process: Int32) throws -> Int32? {
        var status: Int32 = 0
        switch waitpid(process, &status, WNOHANG) {
        case process: return status
        case 0: return nil
        default: throw Failure(description: "\(process) is lost.")
        }
    }
}
